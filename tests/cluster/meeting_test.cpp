#include "oracle/cluster/meeting.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

TEST(Meeting, WorkedNumbers) {
  const Turns turns{0.4, Seconds{4e-3}};
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{1e-3}), 0.52);
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{16e-3}), 0.88);
  EXPECT_DOUBLE_EQ((Lateness{Seconds{20e-6}, 0.01}.after(Seconds{2e-3}).value), 40e-6);
}

TEST(Meeting, OfNoStretchTheLeastIsSeenAndOfALongOneAll) {
  const Turns turns{0.4, Seconds{4e-3}};
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{}), 0.4);
  EXPECT_NEAR(turns.seen(Seconds{1e3}), 1, 1e-5);
}

}  // namespace
}  // namespace oracle
