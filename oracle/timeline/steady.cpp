#include "oracle/timeline/steady.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oracle {
namespace {

int sign_of(double margin, double rounding) {
  if (std::abs(margin) <= rounding) return 0;
  return margin > 0 ? 1 : -1;
}

}  // namespace

void SteadyState::note(std::span<const double> clocks, std::span<const double> margins) {
  const std::size_t room = 2 * longest_ + 1;
  if (rounds_.size() < room) rounds_.resize(room);
  Round& round = rounds_[noted_ % room];
  round.clocks.assign(clocks.begin(), clocks.end());
  round.margins.assign(margins.begin(), margins.end());
  ++noted_;
}

const SteadyState::Round& SteadyState::back(std::size_t rounds) const {
  return rounds_[(noted_ - 1 - rounds) % rounds_.size()];
}

/// Differences of clocks below this are none.
double SteadyState::rounding() const {
  constexpr double kRelative = 1e-13;
  const std::vector<double>& clocks = back(0).clocks;
  return kRelative * *std::max_element(clocks.begin(), clocks.end());
}

/// Whether the last two blocks of so many rounds chose alike and advanced alike.
bool SteadyState::repeats(std::size_t period) const {
  const double none = rounding();
  const Round &now = back(0), &before = back(period), &earlier = back(2 * period);
  if (now.clocks.size() != earlier.clocks.size()) return false;
  for (std::size_t c = 0; c < now.clocks.size(); ++c) {
    const double last = now.clocks[c] - before.clocks[c];
    if (std::abs(last - (before.clocks[c] - earlier.clocks[c])) > none) return false;
  }
  for (std::size_t r = 0; r < period; ++r) {
    const std::vector<double>&last = back(r).margins, &first = back(r + period).margins;
    for (std::size_t m = 0; m < last.size(); ++m) {
      if (sign_of(last[m], none) != sign_of(first[m], none)) return false;
    }
  }
  return true;
}

/// Blocks that surely choose as the last one did.
std::int64_t SteadyState::blocks_ahead(std::size_t period) const {
  const double none = rounding();
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < period; ++r) {
    const std::vector<double>&last = back(r).margins, &first = back(r + period).margins;
    for (std::size_t m = 0; m < last.size(); ++m) {
      const double change = last[m] - first[m];
      const bool shrinks = change * last[m] < 0 && std::abs(change) > none;
      if (shrinks) most = std::min(most, std::floor(std::abs(last[m] / change)) - 1);
    }
  }
  constexpr double kFar = 1e15;
  return static_cast<std::int64_t>(std::clamp(most, 0.0, kFar));
}

std::int64_t SteadyState::skip(std::int64_t left, std::span<double> clocks) {
  for (std::size_t period = 1; period <= longest_ && 2 * period < noted_; ++period) {
    if (!repeats(period)) continue;
    const auto rounds = static_cast<std::int64_t>(period);
    const std::int64_t blocks = std::min(left / rounds, blocks_ahead(period));
    if (blocks == 0) continue;
    const std::vector<double>&now = back(0).clocks, &before = back(period).clocks;
    for (std::size_t c = 0; c < clocks.size(); ++c) {
      clocks[c] = now[c] + static_cast<double>(blocks) * (now[c] - before[c]);
    }
    noted_ = 0;
    return blocks * rounds;
  }
  return 0;
}

}  // namespace oracle
