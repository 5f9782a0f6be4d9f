#include "oracle/accuracy/scaling.h"

#include <algorithm>
#include <map>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

struct Steps {
  std::vector<double> predicted, measured;
};

using StepsByRanks = std::map<std::int64_t, Steps>;

double efficiency(const StepsByRanks& steps, std::vector<double> Steps::*side) {
  return median(steps.begin()->second.*side) / median(steps.rbegin()->second.*side);
}

}  // namespace

std::vector<Scaling> scaling_of(std::span<const ScaledRun> runs) {
  std::vector<std::string> order;
  std::map<std::string, StepsByRanks> series;
  for (const ScaledRun& run : runs) {
    if (!series.contains(run.series)) order.push_back(run.series);
    Steps& steps = series[run.series][run.ranks];
    steps.predicted.push_back(run.predicted.value);
    steps.measured.push_back(run.measured.value);
  }
  std::vector<Scaling> found;
  for (const std::string& name : order) {
    const StepsByRanks& steps = series[name];
    if (steps.size() < 2) continue;
    found.push_back({name, steps.begin()->first, steps.rbegin()->first,
                     efficiency(steps, &Steps::predicted), efficiency(steps, &Steps::measured)});
  }
  return found;
}

}  // namespace oracle
