#include "oracle/cluster/overlap.h"

#include <gtest/gtest.h>

namespace oracle {
namespace overlap_test {

TEST(Overlap, WorkedNumber) {
  const Overlap core{1.0 / 3, 3};
  EXPECT_DOUBLE_EQ(core.pace(), 3);
  EXPECT_DOUBLE_EQ(core.lost_by_exchange(), 1);  // beside 1 s of computing, which takes 1.33 s
  EXPECT_DOUBLE_EQ(core.between_messages(), 1);  // they take turns
}

TEST(Overlap, AlikeBothLoseTheSame) {
  const Overlap half = Overlap::alike(0.5);
  EXPECT_DOUBLE_EQ(half.pace(), 1);
  EXPECT_DOUBLE_EQ(half.lost_by_exchange(), 0.5);
  EXPECT_DOUBLE_EQ(half.between_messages(), 0.5);
  EXPECT_TRUE(half.any());
  EXPECT_FALSE(Overlap{}.any());
}

}  // namespace overlap_test
}  // namespace oracle
