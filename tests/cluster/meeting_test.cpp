#include "oracle/cluster/meeting.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace meeting_test {

TEST(Meeting, WorkedNumbers) {
  const Turns turns{0.4, Seconds{4e-3}};
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{1e-3}), 0.52);
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{16e-3}), 0.88);
  EXPECT_DOUBLE_EQ((Lateness{Seconds{20e-6}, 0.01}.after(Seconds{2e-3}).value), 40e-6);
  const Refill refill{0.02e-9, Bytes{2e6}};
  EXPECT_DOUBLE_EQ(refill.of(Bytes{0.5e6}).value, 10e-6);
  EXPECT_DOUBLE_EQ(refill.of(Bytes{8e6}).value, 40e-6);
}

TEST(Meeting, OfNoStretchTheLeastIsSeenAndOfALongOneAll) {
  const Turns turns{0.4, Seconds{4e-3}};
  EXPECT_DOUBLE_EQ(turns.seen(Seconds{}), 0.4);
  EXPECT_NEAR(turns.seen(Seconds{1e3}), 1, 1e-5);
}

TEST(Meeting, GroupsAreToldByThoseOfAboutTheirSize) {
  const std::vector<Turns> measured = {{0.5, Seconds{1e-3}, 2}, {0.1, Seconds{2e-3}, 8}};
  EXPECT_EQ(turns_of(measured, 2)->ranks, 2);
  EXPECT_EQ(turns_of(measured, 3)->ranks, 2);
  EXPECT_EQ(turns_of(measured, 6)->ranks, 8);
  EXPECT_EQ(turns_of(measured, 64)->ranks, 8);
  EXPECT_EQ(turns_of({}, 2), nullptr);
  const std::vector<Turns> any = {{0.5, Seconds{1e-3}}};
  EXPECT_EQ(turns_of(any, 4), &any[0]);
}

}  // namespace meeting_test
}  // namespace oracle
