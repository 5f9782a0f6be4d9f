#include "oracle/cluster/meeting.h"

#include <algorithm>
#include <cmath>

namespace oracle {

const Turns* turns_of(std::span<const Turns> measured, std::int64_t ranks) {
  const auto apart = [ranks](const Turns& one) {
    const std::int64_t met = std::max<std::int64_t>(one.ranks, 1);
    return std::abs(std::log(static_cast<double>(met) / static_cast<double>(ranks)));
  };
  const auto nearest =
      std::min_element(measured.begin(), measured.end(),
                       [&](const Turns& a, const Turns& b) { return apart(a) < apart(b); });
  return nearest == measured.end() ? nullptr : &*nearest;
}

}  // namespace oracle
