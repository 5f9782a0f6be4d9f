#include "oracle/io/measurements/osu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/measurements/files.h"

namespace oracle {
namespace osu_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

MeasurementHints eight_ranks() {
  MeasurementHints hints;
  hints.ranks = 8;
  hints.level = "machine";
  return hints;
}

TEST(Osu, BandwidthBecomesTheTimeOfAMessage) {
  const Measurements read = read_kept("osu_bw_validated.txt");
  EXPECT_EQ(read.format, "OSU");
  ASSERT_EQ(read.links.size(), 7U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("that failed their own check", 1U)));
  EXPECT_EQ(read.links[6].operation, LinkOperation::stream);
  EXPECT_DOUBLE_EQ(read.links[6].median.value, 4194304 / 23980.15e6);
  EXPECT_EQ(read.links[6].source, "OSU v7.5");
}

TEST(Osu, WorkedNumber) {
  const Measurements read = read_measurements(
      "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n4194304   24453.38\n", "log");
  EXPECT_NEAR(read.links.at(0).median.value, 171.5e-6, 0.05e-6);
}

TEST(Osu, AllReduceWithItsRangeOverRanks) {
  const Measurements read = read_kept("osu_allreduce_full.txt", eight_ranks());
  ASSERT_EQ(read.links.size(), 6U);
  EXPECT_EQ(refused(read), 0U);
  const LinkSample& one = read.links[5];
  EXPECT_EQ(one.operation, LinkOperation::all_reduce);
  EXPECT_EQ(one.ranks, 8);
  EXPECT_DOUBLE_EQ(one.median.value, 19051.46e-6);
  EXPECT_DOUBLE_EQ(one.low.value, 15704.57e-6);
  EXPECT_DOUBLE_EQ(one.high.value, 20881.06e-6);
  EXPECT_EQ(one.count, 100);
}

TEST(Osu, SeveralTestsInOneFile) {
  const Measurements read = read_kept("osu_latency_and_alltoall_cuda.txt", eight_ranks());
  ASSERT_EQ(read.links.size(), 4U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("of no bytes", 1U)));
  EXPECT_EQ(read.links[0].operation, LinkOperation::message);
  EXPECT_EQ(read.links[0].ranks, 2);
  EXPECT_EQ(read.links[3].operation, LinkOperation::all_to_all);
  // What each rank gives each of the 8.
  EXPECT_DOUBLE_EQ(read.links[3].bytes.value, 8 * 1048576.0);
}

TEST(Osu, RanksThatNobodySaysAreRefused) {
  EXPECT_THAT(refusal("# OSU MPI Allreduce Latency Test v7.5\n# Size       Avg Latency(us)\n"
                      "1024   20.0\n2048  21.0\n"),
              HasSubstr("2 of a number of ranks that is not said"));
}

TEST(Osu, ManyReasonsAreCutShortAndShownAsTheyAre) {
  std::string text;
  for (const char* name : {"A", "B", "C", "D", "E",
                           "\x01"
                           "F",
                           "G"}) {
    text += std::string("# OSU MPI ") + name + " Test v1\n# Size       Avg Latency(us)\n8 1\n";
  }
  const std::string refused = refusal(text);
  EXPECT_THAT(refused, HasSubstr("1 of ?F, which is not a transfer"));
  EXPECT_THAT(refused, HasSubstr("; and others"));
}

TEST(Osu, OtherTestsAndOtherColumnsAreRefused) {
  const Measurements read = read_measurements(
      "# OSU MPI Latency Test\n# Size Latency (us)\n8 1.5\n8 1.5 9\n16 N/A\n"
      "# OSU MPI Bi-Directional Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n8   28.51\n",
      "log");
  EXPECT_EQ(read.links.size(), 1U);
  EXPECT_THAT(
      read.refused,
      ElementsAre(Pair("of Bi-Directional Bandwidth, which is not a transfer of a plan", 1U),
                  Pair("with other columns than the heading's", 1U), Pair("without a time", 1U)));
}

}  // namespace osu_test
}  // namespace oracle
