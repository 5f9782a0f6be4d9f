#include "oracle/base/pattern.h"

#include <gtest/gtest.h>
#include <string>

namespace oracle {
namespace pattern_test {

TEST(Pattern, TakesStarsAndAlternatives) {
  EXPECT_TRUE(matches("conv*|fc8", "conv1_2"));
  EXPECT_TRUE(matches("conv*|fc8", "fc8"));
  EXPECT_FALSE(matches("conv*|fc8", "fc7"));
  EXPECT_FALSE(matches("conv*", "my_conv"));
  EXPECT_TRUE(matches("*conv*", "my_conv_1"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Pattern, AManyStarredPatternEnds) {
  const std::string name(2000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*b", name));
}

}  // namespace pattern_test
}  // namespace oracle
