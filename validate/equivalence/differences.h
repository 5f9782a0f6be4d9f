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
// of the size of the gradient itself: half of it is never allowed, however large the noise. Formats
// of two bytes have bars of their own, see Rounding.
//                                            tests/validate/equivalence/differences_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/training.h"
#include "validate/executor/executor.h"

namespace oracle {

/// What the rounding of a format explains.
///
///   format      disturbance  equal       factor  pooled
///   fp32, tf32  2^-23        1e-5        10      no
///   bf16        2^-7         4u = 2^-6   3       yes
///   fp16        2^-10        4u = 2^-9   3       yes
///
/// u is half a unit in the last place of 1, 2^-8 for bf16 and 2^-11 for fp16. Where the serial run
/// rounds a value once, a cut one rounds the summand of each rank and their sum: up to 4u of two
/// ranks' on both sides. Every layer does so again, of which the disturbed run tells: there each
/// value is off by up to 2u before it is rounded, RMS 2u/√3 beside the u/√3 of a rounding, so three
/// times its noise holds for the sums of eight ranks.
struct Rounding {
  /// Relative disturbance of the run that shows the noise: one unit in the last place.
  double disturbance = 0x1p-23;
  /// Largest relative error that sums in another order explain, from equal weights.
  double equal = 1e-5;
  double factor = 10;  ///< errors that are allowed, in noises
  /// A parameter's noise is at least the root of the mean square over all: that of few values is a
  /// matter of luck where a single rounding shows.
  bool pooled = false;
};
inline constexpr Rounding kFp32Rounding;

Rounding rounding_of(const Precision& precision);

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
  double noise = 0;    ///< relative as well
  double allowed = 0;  ///< likewise
};

struct Equivalence {
  /// By step. The first two are judged: the second shows that the update is the same, and after it
  /// rounding may have turned a rectifier here and there.
  std::vector<double> losses, serial_losses, disturbed_losses;
  std::vector<ParameterError> errors;  ///< one per parameter, in layer order
  std::vector<std::string> missing;    ///< parameters that no rank holds
  Rounding rounding;
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
                  std::vector<double> disturbed_losses, const Rounding& rounding = kFp32Rounding);

}  // namespace oracle
