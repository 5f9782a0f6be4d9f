#include "microbench/kernels/relative_positions.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// From here on all distances have one row.
constexpr std::int64_t kFarthest = 128;

std::int64_t root_of(std::int64_t square) { return std::lround(std::sqrt(square)); }

/// Of `rows` for keys on one side of the query.
std::int64_t row_of_distance(std::int64_t distance, std::int64_t rows) {
  const std::int64_t exact = rows / 2;
  if (distance < exact || rows < 2) return std::min(distance, rows - 1);
  const auto shortest = static_cast<double>(exact);
  const double part = std::log(static_cast<double>(distance) / shortest) /
                      std::log(static_cast<double>(kFarthest) / shortest);
  const auto farther = static_cast<std::int64_t>(part * static_cast<double>(rows - exact));
  return std::min(exact + farther, rows - 1);
}

}  // namespace

RelativePositions::RelativePositions(const Layer& layer) {
  const Heads& heads = layer.heads;
  rows_ = layer.weights.front().elements / heads.queries;
  if (heads.within > 0) {
    side_ = root_of(heads.within);
    const std::int64_t offsets = 2 * side_ - 1;
    if (side_ * side_ == heads.within && offsets * offsets == rows_) return;
    throw InputError(layer.name,
                     std::to_string(rows_) +
                         " relative positions are not those of square windows "
                         "of " +
                         std::to_string(heads.within),
                     "of windows of s·s positions there are (2s − 1)·(2s − 1)");
  }
  longest_ = kFarthest;
  const std::int64_t one_side = heads.causal ? rows_ : std::max<std::int64_t>(1, rows_ / 2);
  for (std::int64_t distance = -longest_; distance <= longest_; ++distance) {
    const bool behind = distance > 0;
    const std::int64_t row = row_of_distance(std::abs(distance), one_side);
    by_distance_.push_back(behind ? std::min(one_side + row, rows_ - 1) : row);
  }
}

std::int64_t RelativePositions::row_of(std::int64_t query, std::int64_t key) const {
  if (side_ == 0) {
    const std::int64_t distance = std::clamp(key - query, -longest_, longest_);
    return by_distance_[static_cast<std::size_t>(distance + longest_)];
  }
  const std::int64_t area = side_ * side_, from = query % area, to = key % area;
  const std::int64_t down = from / side_ - to / side_ + side_ - 1;
  const std::int64_t across = from % side_ - to % side_ + side_ - 1;
  return down * (2 * side_ - 1) + across;
}

}  // namespace oracle
