#pragma once
// How far are a distributed run's gradients from the serial run's?
//
// Relative error of a parameter's gradient, norm-wise over the whole parameter: each rank adds up
// its slice, replicas count as often as there are. A gradient that is zero but for rounding (the
// bias before a batch norm) is measured against a hundredth of its layer's gradient.
//
// Deep networks carry rounding far: dozens of batch norms over a few values each multiply it, and
// a rectifier that turns changes a gradient at once. So in a second serial run all weights, and
// whatever a layer makes forward and backward, are off by one rounding, and what that run is off by
// counts as noise: an error is allowed that is within 1e-5 or ten times the noise. So 1e-5 holds
// wherever the serial run itself is stable to one rounding. A transfer that is missing makes errors
// of the size of the gradient itself.
//                                            tests/validate/equivalence/differences_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/graph/graph.h"
#include "validate/executor/executor.h"

namespace oracle {

/// Largest relative error that fp32 sums in another order explain, from equal weights.
inline constexpr double kEqual = 1e-5;
/// Relative disturbance of the run that shows the noise: one rounding of fp32.
inline constexpr double kRounding = 0x1p-23;

/// Sums of squares over a rank's slice of a parameter's gradient.
struct GradientDifference {
  LayerId layer = 0;
  std::size_t parameter = 0;
  double difference = 0;
  double reference = 0;
  double noise = 0;  ///< of the difference between the disturbed serial run and the serial run
};

/// Of the step that both ran last.
std::vector<GradientDifference> gradient_differences(const Executor& run, const Executor& serial,
                                                     const Executor& disturbed);

/// A line each, for Communicator::gather.
std::string to_text(std::span<const GradientDifference> differences);
std::vector<GradientDifference> parse_differences(std::span<const std::string> texts);

struct ParameterError {
  std::string name;  ///< "conv1 weight"
  double relative = 0;
  double noise = 0;  ///< relative as well
  double allowed() const;
};

struct Equivalence {
  /// By step. The first two are judged: the second shows that the update is the same, and after it
  /// rounding may have turned a rectifier here and there.
  std::vector<double> losses, serial_losses, disturbed_losses;
  std::vector<ParameterError> errors;  ///< one per parameter, in layer order
  std::vector<std::string> missing;    ///< parameters that no rank holds
  /// The largest of the steps that are judged.
  double loss_error() const;
  double allowed_loss_error() const;
  /// The furthest from what is allowed; null where nothing is trained.
  const ParameterError* worst() const;
  bool holds() const;
};

/// Adds up what all ranks found.
Equivalence judge(const Graph& graph, std::span<const GradientDifference> differences,
                  std::vector<double> losses, std::vector<double> serial_losses,
                  std::vector<double> disturbed_losses);

}  // namespace oracle
