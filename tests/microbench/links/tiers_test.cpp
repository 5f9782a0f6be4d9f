#include "microbench/links/tiers.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace tiers_test {

std::string_view tier(const std::vector<LinkPlace>& places, std::vector<int> ranks) {
  return tier_of(places, ranks);
}

TEST(Tiers, WorkedNumber) {
  const std::vector<LinkPlace> places = {{"a", -1}, {"a", -1}, {"b", -1}, {"b", -1}};
  EXPECT_EQ(tier(places, {0, 1}), "machine");
  EXPECT_EQ(tier(places, {0, 2}), "network");
  EXPECT_EQ(tier(places, {0, 1, 2, 3}), "network");
}

TEST(Tiers, SocketsWhereEveryRankIsBoundToOne) {
  const std::vector<LinkPlace> places = {{"a", 0}, {"a", 0}, {"a", 1}, {"a", -1}, {"b", 0}};
  EXPECT_EQ(tier(places, {0, 1}), "socket");
  EXPECT_EQ(tier(places, {0, 2}), "machine");
  EXPECT_EQ(tier(places, {0, 3}), "machine");
  EXPECT_EQ(tier(places, {0, 4}), "network");
}

TEST(Tiers, ThisRankRunsSomewhere) { EXPECT_FALSE(own_place().host.empty()); }

}  // namespace tiers_test
}  // namespace oracle
