#include "microbench/kernels/cpu/shares.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "microbench/kernels/cpu/exponential.h"

namespace oracle {
namespace shares_test {

TEST(Exponential, IsExactToAFewRoundings) {
  EXPECT_NEAR(exponential(1), std::exp(1.0), 2e-7 * std::exp(1.0));
  for (float x = -87; x <= 88; x += 0.0137F) {
    const double expected = std::exp(double{x});
    EXPECT_NEAR(exponential(x), expected, 3e-7 * expected) << x;
  }
}

TEST(Exponential, IsNextToNothingFarBelow) {
  EXPECT_GT(exponential(-1e30F), 0);
  EXPECT_LT(exponential(-1e30F), 2e-38F);
}

TEST(Shares, OfZeroAndTheLogarithmOfThree) {
  const std::vector<float> x = {0, std::log(3.0F)};
  std::vector<float> y(2);
  to_shares(x.data(), y.data(), {2, 1});
  EXPECT_FLOAT_EQ(y[0], 0.25F);
  EXPECT_FLOAT_EQ(y[1], 0.75F);
}

TEST(Shares, OfLargeValuesDoNotOverflow) {
  const std::vector<float> x = {3e38F, 1e4F, 3e38F, 1e4F};
  std::vector<float> rows(4), columns(4);
  to_shares(x.data(), rows.data(), {4, 1});
  EXPECT_FLOAT_EQ(rows[0], 0.5F);
  EXPECT_LT(rows[1], 1e-30F);
  to_shares(x.data(), columns.data(), {2, 2});
  EXPECT_FLOAT_EQ(columns[0], 0.5F);
  EXPECT_FLOAT_EQ(columns[3], 0.5F);
}

}  // namespace shares_test
}  // namespace oracle
