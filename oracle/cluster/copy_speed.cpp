#include "oracle/cluster/copy_speed.h"

#include <algorithm>
#include <cmath>

namespace oracle {

Bandwidth copy_speed(std::span<const CopySpeed> measured, Bytes bytes) {
  if (measured.empty()) return {};
  const auto above = std::find_if(measured.begin(), measured.end(),
                                  [bytes](const CopySpeed& speed) { return bytes <= speed.bytes; });
  if (above == measured.begin()) return measured.front().rate;
  if (above == measured.end()) return measured.back().rate;
  const CopySpeed& below = *(above - 1);
  const double part = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return below.rate * std::pow(above->rate / below.rate, part);
}

}  // namespace oracle
