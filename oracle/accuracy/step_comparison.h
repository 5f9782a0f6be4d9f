#pragma once
// How far off is a predicted training step of one device, in time, in memory and in whether it
// fits?
//
// The whole network on the first device of the cluster, nothing cut. Memory is compared as the
// framework's allocator counts it: the footprint without what driver and libraries reserve. A step
// whose time is missing on one side, because it ran out of memory there, is compared in what is
// left.
//
// Worked: 1.10 GiB of which 0.10 GiB are reserved, beside 0.80 GiB allocated → +25 %
//                                                       tests/accuracy/step_comparison_test.cpp

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "oracle/accuracy/accuracy.h"
#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// One training step as somebody measured it.
struct MeasuredStep {
  Training training;
  std::optional<Seconds> time;  ///< absent: it ran out of memory
  std::optional<Bytes> peak;    ///< of the allocator; absent: not measured
};

struct MemoryComparison {
  Bytes predicted, measured;

  double signed_error() const { return predicted / measured - 1; }
};

struct StepComparison {
  std::optional<Comparison> time;  ///< where it fits by both
  std::optional<MemoryComparison> memory;
  Bytes needed, available;  ///< as predicted, with what is reserved
  bool fits_predicted = true;
  bool fits_measured = true;

  bool agrees() const { return fits_predicted == fits_measured; }
};

/// Of several steps; a step counts in time and in memory where it has both sides.
struct StepAccuracy {
  Accuracy time, memory;
  std::size_t verdicts = 0;  ///< steps judged
  std::size_t agreed = 0;    ///< of these, on whether they fit
};

StepAccuracy judge_steps(std::span<const StepComparison> steps);

/// Infeasible where the step cannot be planned on that device at all.
std::variant<StepComparison, Infeasible> compare_step(const Graph& graph, const Cluster& cluster,
                                                      const Profile& profile,
                                                      const MeasuredStep& measured);

}  // namespace oracle
