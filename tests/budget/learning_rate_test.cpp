#include "oracle/budget/learning_rate.h"

#include <gtest/gtest.h>

namespace oracle {
namespace learning_rate_test {

TEST(LearningRate, OfSgdGrowsWithTheBatch) {
  // Goyal et al.: 0.1 at 256 is 3.2 at 8,192.
  EXPECT_NEAR(0.1 * learning_rate_factor(learning_rate_rule("momentum"), 8192), 3.2, 1e-12);
  EXPECT_EQ(learning_rate_rule("sgd").warm_up_epochs, 5);
  EXPECT_EQ(learning_rate_rule("sgd").largest, 8192);
}

TEST(LearningRate, OfAdamGrowsWithTheRootOfTheBatch) {
  for (const char* optimizer : {"adam", "adam_bf16", "adam8bit"}) {
    const LearningRateRule& rule = learning_rate_rule(optimizer);
    EXPECT_NEAR(learning_rate_factor(rule, 8192), 5.657, 0.001) << optimizer;
    EXPECT_EQ(rule.largest, 0);
  }
}

TEST(LearningRate, IsTheBaseRateAtTheBaseBatch) {
  for (const char* optimizer : {"sgd", "adam"}) {
    EXPECT_EQ(learning_rate_factor(learning_rate_rule(optimizer), kBaseBatch), 1);
  }
}

}  // namespace learning_rate_test
}  // namespace oracle
