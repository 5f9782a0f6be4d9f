#include "validate/data/random.h"

#include <gtest/gtest.h>

namespace oracle {
namespace data_random_test {

TEST(CounterRandom, MixesAsSplitMix64) {
  EXPECT_EQ(mixed(0), 0xe220a8397b1dcdafULL);  // its first number after seed 0
}

TEST(CounterRandom, DependsOnEveryWordOfTheKey) {
  EXPECT_NE(mixed(1, 2, 3), mixed(2, 1, 3));
  EXPECT_NE(mixed(1, 2, 3), mixed(1, 3, 2));
  EXPECT_EQ(mixed(1, 2, 3), mixed(1, 2, 3));
}

TEST(CounterRandom, UniformAndNormalHaveTheirMoments) {
  constexpr int kDraws = 20000;
  double mean = 0, squares = 0, normals = 0, normal_squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = uniform(5, 1, i), z = normal(5, 2, i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    mean += u / kDraws;
    squares += u * u / kDraws;
    normals += z / kDraws;
    normal_squares += z * z / kDraws;
  }
  EXPECT_NEAR(mean, 0.5, 0.01);
  EXPECT_NEAR(squares, 1.0 / 3, 0.01);
  EXPECT_NEAR(normals, 0, 0.03);
  EXPECT_NEAR(normal_squares, 1, 0.05);
}

}  // namespace data_random_test
}  // namespace oracle
