#include "microbench/compute/sharing_probe.h"

#include <algorithm>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;
constexpr int kCopies = 3;

}  // namespace

SharingProbe::SharingProbe(int cores) : cores_(cores), copiers_(cores > 1 ? cores : 0, kBytes) {}

double SharingProbe::sharing() {
  if (cores_ < 2) return 0;
  const auto seconds = [this](int cores) {
    std::vector<double> all;
    for (const CopyTimes& times : copiers_.copy(cores, kCopies)) all.push_back(times.mean());
    return median(all);
  };
  return sharing_of(seconds(1), seconds(cores_), cores_);
}

double sharing_of(double alone, double at_once, int cores) {
  return std::clamp((at_once / alone - 1) / (cores - 1), 0.0, 1.0);
}

}  // namespace oracle
