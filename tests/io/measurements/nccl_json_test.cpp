#include "oracle/io/measurements/nccl_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/measurements/files.h"

namespace oracle {
namespace nccl_json_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(NcclJson, FourRanksOnTwoHosts) {
  const Measurements read = read_kept("nccl_all_reduce.json");
  EXPECT_EQ(read.format, "nccl-tests JSON");
  ASSERT_EQ(read.links.size(), 6U);
  EXPECT_EQ(refused(read), 0U);
  EXPECT_EQ(read.links[0].operation, LinkOperation::all_reduce);
  EXPECT_EQ(read.links[0].ranks, 4);
  EXPECT_EQ(read.links[0].per_unit, 2);
  EXPECT_EQ(read.links[0].level, kNetworkTier);
  EXPECT_DOUBLE_EQ(read.links[5].median.value, 1119.9e-6);
}

TEST(NcclJson, MissingNumbersAreNoZeros) {
  const Measurements read = read_kept("nccl_all_gather_unchecked.json");
  ASSERT_EQ(read.links.size(), 2U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("of no bytes", 2U), Pair("without a time", 1U)));
  EXPECT_EQ(read.links[0].operation, LinkOperation::all_gather);
  EXPECT_EQ(read.links[0].level, kMachineTier);
  EXPECT_DOUBLE_EQ(read.links[0].median.value, 41.3e-6);
  EXPECT_DOUBLE_EQ(read.links[1].median.value, 66.2e-6);
}

TEST(NcclJson, AnOperationOfNoPlanIsRefusedWithItsReason) {
  EXPECT_THROW(
      {
        try {
          read_kept("nccl_broadcast_cpu_time.json");
        } catch (const InputError& error) {
          EXPECT_THAT(error.what(),
                      HasSubstr("2 of broadcast, which is not a collective of a plan"));
          throw;
        }
      },
      InputError);
}

TEST(NcclJson, ResultsMustBeAList) {
  EXPECT_THAT(refusal(R"({"nccl_version": 1, "results": 3})"),
              HasSubstr("some.log:1:/results: is not a list of results"));
  EXPECT_THAT(refusal(R"({"nccl_version": 1, "results": [3]})"), HasSubstr("1 without a time"));
}

}  // namespace nccl_json_test
}  // namespace oracle
