#include "oracle/cluster/copy_speed.h"

#include <algorithm>
#include <cmath>

namespace oracle {

CopySpeed copy_speed(std::span<const CopySpeed> measured, Bytes bytes) {
  if (measured.empty()) return {};
  const auto above = std::find_if(measured.begin(), measured.end(),
                                  [bytes](const CopySpeed& speed) { return bytes <= speed.bytes; });
  const CopySpeed& upper = above == measured.end() ? measured.back() : *above;
  const CopySpeed& lower = above == measured.begin() ? upper : *(above - 1);
  const double part = lower.bytes == upper.bytes
                          ? 0
                          : std::log(bytes / lower.bytes) / std::log(upper.bytes / lower.bytes);
  const auto between = [part](Bandwidth below, Bandwidth beyond) {
    return below * std::pow(beyond / below, part);
  };
  return {bytes, between(lower.pack, upper.pack), between(lower.unpack, upper.unpack)};
}

}  // namespace oracle
