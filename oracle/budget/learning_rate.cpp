#include "oracle/budget/learning_rate.h"

#include <cmath>

namespace oracle {
namespace {

constexpr LearningRateRule kLinear{"in proportion to the batch", "Goyal et al., arXiv 1706.02677",
                                   1, 5, 8192};
constexpr LearningRateRule kSquareRoot{"with the square root of the batch",
                                       "You et al., arXiv 1904.00962", 0.5, 0, 0};

}  // namespace

const LearningRateRule& learning_rate_rule(std::string_view optimizer) {
  return optimizer.starts_with("adam") ? kSquareRoot : kLinear;
}

double learning_rate_factor(const LearningRateRule& rule, std::int64_t batch) {
  return std::pow(static_cast<double>(batch) / static_cast<double>(kBaseBatch), rule.exponent);
}

}  // namespace oracle
