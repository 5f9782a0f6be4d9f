#include "validate/executor/loss_scale.h"

#include <gtest/gtest.h>

namespace oracle {
namespace loss_scale_test {

TEST(LossScale, IsHalvedByABadStepAndDoubledAfterManyGoodOnes) {
  LossScale scale;
  EXPECT_EQ(scale.value, 32768);
  scale = scale.after(false);
  EXPECT_EQ(scale.value, 16384);
  for (int step = 1; step < 2000; ++step) scale = scale.after(true);
  EXPECT_EQ(scale.value, 16384);
  scale = scale.after(true);
  EXPECT_EQ(scale.value, 32768);
}

TEST(LossScale, ABadStepStartsTheCountAnew) {
  LossScale scale{1024, 3, 0};
  scale = scale.after(true).after(true).after(false).after(true).after(true);
  EXPECT_EQ(scale.value, 512);
  EXPECT_EQ(scale.after(true).value, 1024);
}

TEST(LossScale, StaysWithinItsBounds) {
  LossScale scale{2, 1, 0};
  EXPECT_EQ(scale.after(false).after(false).after(false).value, 1);
  for (int step = 0; step < 100; ++step) scale = scale.after(true);
  EXPECT_EQ(scale.value, 0x1p24);
}

}  // namespace loss_scale_test
}  // namespace oracle
