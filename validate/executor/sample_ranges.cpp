#include "validate/executor/sample_ranges.h"

#include "oracle/base/error.h"
#include "oracle/plan/layout/halo.h"

namespace oracle {

std::vector<SampleRange> micro_batches(std::int64_t batch, std::int64_t count) {
  std::vector<SampleRange> ranges;
  for (std::int64_t m = 0; m < count; ++m) {
    ranges.push_back({slab_begin(m, batch, count), slab_begin(m + 1, batch, count)});
  }
  return ranges;
}

std::vector<SampleRange> ranges_of(const Plan& plan, const std::vector<SampleRange>& asked) {
  const std::int64_t count = plan.strategy.micro_batches;
  if (asked.empty()) return micro_batches(plan.training.batch, count);
  ensure(static_cast<std::int64_t>(asked.size()) == count,
         "as many sample ranges as micro-batches");
  return asked;
}

}  // namespace oracle
