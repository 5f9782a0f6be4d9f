#include "oracle/io/measurements/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace lines_test {

using testing::ElementsAre;

TEST(Lines, LaunchersMarksAreTakenAway) {
  EXPECT_THAT(printed_lines("[1,0]<stdout>:   8  2\r\n[1,12]<stderr>:x\n 3: 4 5\n12:\n"),
              ElementsAre("   8  2", "x", "4 5", ""));
}

TEST(Lines, MarksOfPodsAndTimeStampsAreTakenAway) {
  EXPECT_THAT(printed_lines("[worker-0]  8 2\n[worker-0] \n[pod/a/b] 2024-05-01T12:00:00.1Z x\n"
                            "2024-05-01 12:00:00,123 [1,0]<stdout>:y\nworker-0  | z\nnode3: # a\n"),
              ElementsAre(" 8 2", "", "x", "y", "z", "# a"));
}

TEST(Lines, WhatOnlyLooksLikeAMarkStays) {
  EXPECT_THAT(
      printed_lines("[1,0]<std\n[a,0]<stdout>:x\n1:2\nnode1:12:13 [0] NCCL INFO\n[1,]\n[n7:2] 3 x"),
      ElementsAre("[1,0]<std", "[a,0]<stdout>:x", "1:2", "node1:12:13 [0] NCCL INFO", "[1,]",
                  "[n7:2] 3 x"));
}

TEST(Lines, WordsAndCells) {
  EXPECT_THAT(words_of("  a\tb  c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cells_of(" Size       Avg Latency(us)   Min Latency(us)\tPass"),
              ElementsAre("Size", "Avg Latency(us)", "Min Latency(us)", "Pass"));
  EXPECT_THAT(cells_of(""), ElementsAre());
}

TEST(Lines, NumbersAreWholeWordsAndFinite) {
  EXPECT_EQ(number_of_word("1e-07"), 1e-7);
  EXPECT_EQ(count_of_word("4294967296"), 4294967296);
  for (const char* none : {"", "N/A", "1.5x", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(number_of_word(none)) << none;
  }
  for (const char* none : {"", "-1", "1.0", "99999999999999999999"}) {
    EXPECT_FALSE(count_of_word(none)) << none;
  }
}

TEST(Lines, ColorsAreTakenAway) {
  EXPECT_EQ(without_colors("\x1b[32mworker-0 |\x1b[0m  8  2 float"), "worker-0 |  8  2 float");
  EXPECT_EQ(without_colors("\x1b[1;36m8\x1b["), "8");
  EXPECT_EQ(without_colors("plain"), "plain");
}

}  // namespace lines_test
}  // namespace oracle
