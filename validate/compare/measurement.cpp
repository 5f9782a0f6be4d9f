#include "validate/compare/measurement.h"

#include <algorithm>
#include <cmath>

#include "validate/train/rank_record.h"

namespace oracle {
namespace {

/// Linear between the two nearest of the sorted values.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

StepSpread spread_after(const Measurement& run, std::int64_t warm_up) {
  if (warm_up >= static_cast<std::int64_t>(run.step_seconds.size())) {
    throw InputError("--warmup",
                     std::to_string(warm_up) + " steps to warm up leave none of the " +
                         std::to_string(run.step_seconds.size()) + " that were run",
                     "give fewer, or run more steps");
  }
  std::vector<double> counted(run.step_seconds.begin() + warm_up, run.step_seconds.end());
  std::sort(counted.begin(), counted.end());
  return {median(counted), percentile(counted, 0.1), percentile(counted, 0.9), counted.size()};
}

Measurement read_measurement(const std::filesystem::path& file) {
  return parse_measurement(json::read(file));
}

}  // namespace oracle
