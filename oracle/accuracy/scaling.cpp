#include "oracle/accuracy/scaling.h"

#include "oracle/accuracy/grouped_steps.h"

namespace oracle {

std::vector<Scaling> scaling_of(std::span<const ScaledRun> runs) {
  GroupedSteps<std::int64_t> series;
  for (const ScaledRun& run : runs) series.add(run.series, run.ranks, run.predicted, run.measured);
  std::vector<Scaling> found;
  for (const auto& [name, steps] : series.medians()) {
    if (steps.size() < 2) continue;
    const auto& [fewest, base] = *steps.begin();
    const auto& [most, last] = *steps.rbegin();
    found.push_back(
        {name, fewest, most, base.predicted / last.predicted, base.measured / last.measured});
  }
  return found;
}

}  // namespace oracle
