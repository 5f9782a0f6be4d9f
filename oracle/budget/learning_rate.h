#pragma once
// By how much does the learning rate grow with the batch?
//
//   SGD, momentum   rate ∝ B      warm-up of 5 epochs, to a batch of 8,192
//                                 Goyal et al., arXiv 1706.02677
//   Adam            rate ∝ √B     You et al., arXiv 1904.00962
//
// Worked: from a batch of 256 to 8,192 SGD's rate grows 32 times, 0.1 to 3.2, and Adam's 5.66 times
//                                                           tests/budget/learning_rate_test.cpp

#include <cstdint>
#include <string_view>

namespace oracle {

/// The batch that the rules start from.
inline constexpr std::int64_t kBaseBatch = 256;

struct LearningRateRule {
  std::string_view text;      ///< "in proportion to the batch"
  std::string_view source;    ///< title and year
  double exponent = 1;        ///< of the batch
  double warm_up_epochs = 0;  ///< 0: the source says nothing
  std::int64_t largest = 0;   ///< batch that the source tried; 0: says nothing
};

/// Of an optimizer's name: "sgd", "momentum", "adam", "adam8bit".
const LearningRateRule& learning_rate_rule(std::string_view optimizer);

/// How many times that of kBaseBatch the rate at `batch` is.
double learning_rate_factor(const LearningRateRule& rule, std::int64_t batch);

}  // namespace oracle
