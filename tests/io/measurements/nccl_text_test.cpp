#include "oracle/io/measurements/nccl_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/measurements/files.h"

namespace oracle {
namespace nccl_text_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const LinkSample& sample_of(const Measurements& read, double bytes, std::size_t which = 0) {
  const auto found = std::find_if(read.links.begin(), read.links.end(),
                                  [&](const LinkSample& one) { return one.bytes.value == bytes; });
  return *(found + static_cast<std::ptrdiff_t>(which));
}

TEST(NcclText, ElevenColumns) {
  const Measurements read = read_kept("nccl_all_gather_11_columns.txt");
  EXPECT_EQ(read.format, "nccl-tests");
  EXPECT_EQ(read.links.size(), 32U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("of no bytes", 4U)));
  const LinkSample& one = sample_of(read, 1073741824, 1);
  EXPECT_EQ(one.operation, LinkOperation::all_gather);
  EXPECT_EQ(one.ranks, 8);
  EXPECT_EQ(one.level, kMachineTier);
  EXPECT_DOUBLE_EQ(one.median.value, 4258.8e-6);
}

TEST(NcclText, TwelveColumnsAndTheOperationFromTheFactor) {
  // Neither the file's name nor a line names it here: 2·7/8 = 1.875 = 220.16/117.42 does.
  std::string text;
  for (const char* line :
       {"#   Rank  0 Pid 1 on a device  0 [0x1] X", "#   Rank  1 Pid 1 on a device  1 [0x2] X",
        "#   Rank  2 Pid 1 on a device  2 [0x3] X", "#   Rank  3 Pid 1 on a device  3 [0x4] X",
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw   busbw  error",
        "   4194304   1048576   float   sum   147.4   28.45   42.68  2e-07   145.1   28.91   43.37 "
        " "
        "2e-07"}) {
    text += std::string(line) + "\n";
  }
  const Measurements read = read_measurements(text, "some.log");
  ASSERT_EQ(read.links.size(), 2U);
  EXPECT_EQ(read.links[0].operation, LinkOperation::all_reduce);
  EXPECT_EQ(read.links[0].ranks, 4);
  EXPECT_DOUBLE_EQ(read.links[1].median.value, 145.1e-6);
}

TEST(NcclText, TwelveColumnsOfAKeptFile) {
  const Measurements read = read_kept("nccl_all_reduce_12_columns.txt");
  EXPECT_EQ(read.links.size(), 38U);
  EXPECT_EQ(refused(read), 0U);
  EXPECT_DOUBLE_EQ(sample_of(read, 134217728).median.value, 1818.8e-6);
}

TEST(NcclText, ThirteenColumnsTaggedAcrossTwoHosts) {
  const Measurements read = read_kept("nccl_all_reduce_13_columns_tagged.txt");
  EXPECT_EQ(read.links.size(), 26U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("of no bytes", 4U)));
  const LinkSample& one = sample_of(read, 4194304);
  EXPECT_EQ(one.level, kNetworkTier);
  EXPECT_EQ(one.ranks, 2);
  EXPECT_EQ(one.per_unit, 1);
  EXPECT_DOUBLE_EQ(one.median.value, 1745.4e-6);
  EXPECT_DOUBLE_EQ(sample_of(read, 4194304, 1).median.value, 1673.2e-6);
}

TEST(NcclText, ColumnsPerIterationWrongAndMissing) {
  const Measurements read = read_kept("nccl_sendrecv_per_iteration.txt");
  EXPECT_EQ(read.links.size(), 6U);
  EXPECT_THAT(read.refused,
              ElementsAre(Pair("with wrong results", 1U), Pair("without a time", 1U)));
  EXPECT_EQ(read.links.front().operation, LinkOperation::message);
  EXPECT_EQ(read.links.front().source, "nccl-tests 2.18.0");
}

constexpr const char* kRowOfTwelve =
    "  1048576  262144  float  sum  10.0  104.86  104.86  0  10.0  104.86  104.86  0\n";

TEST(NcclText, WithoutAHeadingTheColumnsAreCounted) {
  MeasurementHints hints;
  hints.ranks = 2;
  hints.operation = LinkOperation::all_reduce;
  EXPECT_EQ(read_measurements(kRowOfTwelve, "some.log", hints).links.size(), 2U);
}

TEST(NcclText, WhatIsNotSaidIsRefusedAndNamed) {
  EXPECT_THAT(refusal(kRowOfTwelve), HasSubstr("2 of an operation that is not said"));
  MeasurementHints hints;
  hints.operation = LinkOperation::message;
  EXPECT_THAT(refusal(kRowOfTwelve, hints), HasSubstr("of a number of ranks that is not said"));
  EXPECT_THAT(refusal(std::string("# ./build/broadcast_perf -g 2\n") + kRowOfTwelve, hints),
              HasSubstr("of broadcast, which is not a collective of a plan"));
}

Measurements read_of_two(const std::string& text) {
  MeasurementHints hints;
  hints.ranks = 2;
  return read_measurements(text, "some.log", hints);
}

TEST(NcclText, RowsWithOtherColumnsAreRefused) {
  const std::string text =
      "# all_reduce_perf\n#  size count type redop time algbw busbw error time algbw busbw "
      "error\n" +
      std::string(kRowOfTwelve) + "  1048576  262144  float  sum  10.0\n";
  const Measurements read = read_of_two(text);
  EXPECT_EQ(read.links.size(), 2U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("with other columns than the heading's", 1U)));
}

TEST(NcclText, TheCellThatOldVersionsLeaveEmptyMayBeTheLast) {
  const std::string text =
      "# all_reduce_perf\n# size count type time algbw busbw redop\n"
      "1048576 262144 float 100.0 10.49 10.49\n";
  const Measurements read = read_of_two(text);
  ASSERT_EQ(read.links.size(), 1U);
  EXPECT_DOUBLE_EQ(read.links[0].median.value, 100e-6);
}

TEST(NcclText, ATimestampIsTwoWords) {
  const std::string text =
      "# all_reduce_perf\n# size count type redop root time algbw busbw #wrong time algbw busbw "
      "#wrong timestamp\n 1048576 262144 float sum -1 10.0 1 1 0 11.0 1 1 0 2025-01-01 12:00:00\n";
  EXPECT_EQ(read_of_two(text).links.size(), 2U);
}

TEST(Measurements, AreOfAKnownFormat) {
  EXPECT_THAT(refusal("hello\n"), HasSubstr("some.log: is the output of no tool that is known"));
  EXPECT_THAT(refusal(""), HasSubstr("OSU"));
  EXPECT_THAT(refusal(std::string((16U << 20) + 1, ' ')), HasSubstr("longer than 16 MiB"));
}

}  // namespace nccl_text_test
}  // namespace oracle
