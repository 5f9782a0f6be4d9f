#include "oracle/budget/goodput.h"

#include <algorithm>
#include <cmath>

namespace oracle {

Seconds daly_interval(const Reliability& machine) {
  const double mean = machine.mtbf.value, cost = machine.checkpoint.value;
  if (cost >= 2 * mean) return machine.mtbf;
  const double young = std::sqrt(2 * cost * mean);
  const double interval = young * (1 + std::sqrt(cost / (2 * mean)) / 3 + cost / (18 * mean));
  return std::max(Seconds{std::max(interval - cost, 0.0)}, machine.behind);
}

double goodput(const Reliability& machine, Seconds interval) {
  const Seconds segment = interval + machine.checkpoint;
  if (std::isinf(machine.mtbf.value)) return interval / segment;
  const double mean = machine.mtbf.value;
  const double passed = mean * std::exp((machine.restart + machine.behind).value / mean) *
                        std::expm1(segment.value / mean);
  return interval.value / passed;
}

}  // namespace oracle
