#include "oracle/plan/token_groups.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_experts.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace token_groups_test {

TEST(TokenGroups, AreTheGroupsThatHaveAnExpertOfTheToken) {
  EXPECT_NEAR(groups_of_token(8, 32, 8), 5.29465200038248, 1e-12);
  EXPECT_EQ(groups_of_token(8, 1, 2), 2);
  EXPECT_EQ(groups_of_token(1, 16, 4), 1);
  EXPECT_EQ(groups_of_token(2, 2, 4), 2);
}

/// All-to-alls of forward: axes and bytes.
std::vector<std::pair<AxisSet, double>> hops(const char* strategy) {
  const Graph graph = experts();
  const Plan plan = plan_of(graph, strategy, 4);
  std::vector<std::pair<AxisSet, double>> found;
  const Stage& stage = plan.stages[0];
  for (std::uint32_t i = 0; i < stage.backward_begin; ++i) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr || transfer->collective != Collective::all_to_all) continue;
    found.emplace_back(transfer->axes, transfer->bytes.value);
  }
  return found;
}

using Hops = std::vector<std::pair<AxisSet, double>>;

// All rows of a rank are 16·2·64·4 bytes; a token goes to 2·(1 − 1/6) = 5/3 of 2 groups.
TEST(TokenGroups, TakeATokenOnceAcrossAndEachRowInside) {
  constexpr double kRows = 8192, kOnce = kRows * 5 / 6;
  EXPECT_EQ(hops("expert:2,expert:2"), (Hops{{3, kRows}, {3, kRows}}));
  const Hops grouped = hops("expert:2,expert:2; token_groups=all");
  ASSERT_EQ(grouped.size(), 4U);
  const Hops expected = {{1, kOnce}, {2, kRows}, {2, kRows}, {1, kOnce}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(grouped[i].first, expected[i].first) << i;
    EXPECT_NEAR(grouped[i].second, expected[i].second, 1e-9) << i;
  }
  const Hops one = hops("expert:2,expert:2; token_groups=1");
  EXPECT_EQ(one.front(), (std::pair<AxisSet, double>{1, kRows / 2}));
}

/// Along one axis ranks are the groups.
TEST(TokenGroups, AreRanksWhereExpertsLieAlongOneAxis) {
  const Hops found = hops("expert:4; token_groups=all");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (std::pair<AxisSet, double>{1, 8192}));
}

}  // namespace token_groups_test
}  // namespace oracle
