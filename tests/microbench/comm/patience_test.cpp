#include "microbench/comm/patience.h"

#include <gtest/gtest.h>

namespace oracle {
namespace patience_test {

using std::chrono::microseconds;

TEST(Patience, PollsWithoutPausesAsLongAsSomethingMoves) {
  Patience patience(false);
  Patience::Clock::time_point now{};
  for (int i = 0; i < 10; ++i) {
    patience.renew(now);
    EXPECT_EQ(patience.next(now + microseconds(49), false), microseconds(0));
    now += microseconds(40);
  }
}

TEST(Patience, PausesGrowFromTenTo200Microseconds) {
  for (const bool crowded : {false, true}) {
    Patience patience(crowded);
    const Patience::Clock::time_point start{};
    patience.renew(start);
    const auto later = start + microseconds(crowded ? 0 : 50);
    for (const int due : {10, 20, 40, 80, 160, 200, 200}) {
      EXPECT_EQ(patience.next(later, false), microseconds(due));
    }
    patience.renew(later);
    EXPECT_EQ(patience.next(later, false), microseconds(crowded ? 10 : 0));
  }
}

TEST(Patience, IsShortWhileTheRankItselfWaits) {
  for (const bool crowded : {false, true}) {
    Patience patience(crowded);
    const Patience::Clock::time_point start{};
    patience.renew(start);
    EXPECT_EQ(patience.next(start + microseconds(1999), true), microseconds(0));
    EXPECT_EQ(patience.next(start + microseconds(2000), true), microseconds(10));
    EXPECT_EQ(patience.next(start + microseconds(2010), true), microseconds(20));
  }
}

TEST(Patience, IsAsLongAsEverWhereOthersComputeOnTheCore) {
  Patience patience(true);
  const Patience::Clock::time_point start{};
  patience.renew(start);
  patience.gave_way(start, microseconds(100));
  EXPECT_EQ(patience.next(start, true), microseconds(0));
  patience.gave_way(start, microseconds(101));
  EXPECT_EQ(patience.next(start, true), microseconds(10));
  const auto later = start + std::chrono::milliseconds(500);
  patience.renew(later);
  EXPECT_EQ(patience.next(later, true), microseconds(0));
}

}  // namespace patience_test
}  // namespace oracle
