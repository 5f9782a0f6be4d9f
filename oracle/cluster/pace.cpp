#include "oracle/cluster/pace.h"

#include <cmath>

namespace oracle {
namespace {

constexpr double kOwnOverCommon = 0.2;
constexpr double kCommonOfTails = 0.525;

}  // namespace

double Pace::unknown() const {
  const auto n = static_cast<double>(jobs);
  return std::sqrt(1 - kCommonOfTails * n / (n + kOwnOverCommon));
}

Pace pace_of(std::span<const double> factors) {
  double sum = 0;
  for (const double factor : factors) sum += std::log(factor);
  return {std::exp(sum / (static_cast<double>(factors.size()) + kOwnOverCommon)), factors.size()};
}

}  // namespace oracle
