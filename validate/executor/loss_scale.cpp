#include "validate/executor/loss_scale.h"

#include <algorithm>

namespace oracle {
namespace {

/// Of weights that hardly matter any gradient would be finite, and products with it no float.
constexpr double kLargest = 0x1p24;

}  // namespace

LossScale LossScale::after(bool finite) const {
  if (!finite) return {std::max(value / 2, 1.0), patience, 0};
  if (good + 1 < patience) return {value, patience, good + 1};
  return {std::min(value * 2, kLargest), patience, 0};
}

}  // namespace oracle
