#include "oracle/cluster/group_pattern.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace group_pattern_test {

TEST(GroupPattern, GroupsOfFourInUnitsOfSix) {
  const std::vector<AxisRun> runs = {{3, false}, {4, true}};
  const GroupPattern pattern = group_pattern(runs, 6);
  EXPECT_EQ(pattern.members, 2);
  EXPECT_EQ(pattern.crossing, 1);
}

TEST(GroupPattern, APeriodStandsForAMillionRanks) {
  const std::vector<AxisRun> groups = {{1'000'000, false}, {4, true}};
  EXPECT_EQ(group_pattern(groups, 6).members, 2);
  EXPECT_EQ(group_pattern(groups, 6).crossing, 1);
  const std::vector<AxisRun> interleaved = {{1'000'000, true}, {4, false}};
  EXPECT_EQ(group_pattern(interleaved, 6).members, 2);
  EXPECT_EQ(group_pattern(interleaved, 6).crossing, 4);
}

TEST(GroupPattern, NestedUnitsNeedNoCounting) {
  const std::vector<AxisRun> runs = {{1 << 20, true}, {64, false}, {8, true}};
  const GroupPattern node = group_pattern(runs, 8);
  EXPECT_EQ(node.members, 8);
  EXPECT_EQ(node.crossing, 1);
  const GroupPattern pod = group_pattern(runs, 8 * 64 * 4);
  EXPECT_EQ(pod.members, 8 * 4);
  EXPECT_EQ(pod.crossing, 64);
  const GroupPattern all = group_pattern(runs, std::int64_t{1} << 40);
  EXPECT_EQ(all.members, std::int64_t{8} << 20);
  EXPECT_EQ(all.crossing, 0);
}

TEST(GroupPattern, PrimeDegreesFallBackToWhatNests) {
  const std::vector<AxisRun> runs = {{1009, true}, {99991, false}};
  const GroupPattern pattern = group_pattern(runs, 1000);
  EXPECT_EQ(pattern.members, 1);
  EXPECT_EQ(pattern.crossing, 1000);
}

}  // namespace group_pattern_test
}  // namespace oracle
