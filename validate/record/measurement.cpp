#include "validate/record/measurement.h"

#include <algorithm>

#include "oracle/base/statistics.h"
#include "validate/record/rank_record.h"

namespace oracle {

StepSpread spread_after(const Measurement& run, std::int64_t warm_up) {
  if (warm_up >= static_cast<std::int64_t>(run.step_seconds.size())) {
    throw InputError("--warmup",
                     std::to_string(warm_up) + " steps to warm up leave none of the " +
                         std::to_string(run.step_seconds.size()) + " that were run",
                     "give fewer, or run more steps");
  }
  const auto steps = static_cast<std::int64_t>(run.step_seconds.size());
  const std::int64_t before = run.replayed_steps > 0 ? steps - run.replayed_steps : 0;
  std::vector<double> counted(run.step_seconds.begin() + std::max(warm_up, before),
                              run.step_seconds.end());
  return {median(counted), quantile(counted, 0.1), quantile(counted, 0.9), counted.size()};
}

Measurement read_measurement(const std::filesystem::path& file) {
  return parse_measurement(json::read(file));
}

}  // namespace oracle
