#include "oracle/cluster/storage_system.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {

Bandwidth bandwidth_of(const std::vector<BandwidthPoint>& curve, double processes) {
  ensure(!curve.empty(), "a storage's bandwidth is a curve with a point");
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const BandwidthPoint& point) {
    return static_cast<double>(point.processes) >= processes;
  });
  if (above == curve.begin()) return above->total;
  if (above == curve.end()) return curve.back().total;
  const BandwidthPoint& below = *(above - 1);
  const double share = (processes - static_cast<double>(below.processes)) /
                       static_cast<double>(above->processes - below.processes);
  return below.total + (above->total - below.total) * share;
}

Source source_of(const StorageSystem& storage, std::string_view curve) {
  Source weakest = Source::measured;
  for (const FigureSource& source : storage.sources) {
    if (source.figure == curve || source.figure == "open") weakest = std::max(weakest, source.kind);
  }
  return weakest;
}

Seconds write_time(const StorageSystem& storage, Bytes bytes) {
  return storage.open + bytes / bandwidth_of(storage.write, 1);
}

}  // namespace oracle
