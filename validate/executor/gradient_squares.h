#pragma once
// How large are the gradients of a part of the batch, and of all of it?
//
// What the noise scale is estimated from (oracle/budget/noise_scale.h), without a message: each
// rank adds up the squares of gradients that it has. The part is its own samples, before their
// gradient is summed over ranks; of one rank the first micro-batch. Gradients are read twice a
// step.
//
// With batch norm a sample's gradient depends on the others that it is normalized with: squares are
// those of such batches.
//                                             tests/validate/executor/gradient_squares_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "validate/executor/sample_ranges.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

/// |g|² of the mean over samples, in one step.
struct StepSquares {
  double part = 0, whole = 0;
  std::int64_t part_samples = 0;
  double seconds = 0;  ///< that it took to add them up; part of the step, and of no item
};

class GradientSquares {
 public:
  /// `ranges`: the micro-batches; `own`: this rank's samples of all of them.
  GradientSquares(const TrainedLayers& trained, const Program& program,
                  const std::vector<SampleRange>& ranges, std::int64_t own);

  const StepSquares& squares() const { return squares_; }

  void begin_step();
  /// The rank's own gradients of some layers are there, and are not summed over ranks yet.
  void before_exchange(const std::vector<LayerId>& layers);
  /// The first micro-batch's gradients are there.
  void behind_first_micro_batch();
  /// All gradients are there.
  void before_update();

 private:
  void add(const std::vector<LayerId>& layers, double factor, double& sum);

  const TrainedLayers& trained_;
  std::vector<LayerId> layers_;  ///< that have weights of their own
  bool by_rank_;                 ///< the part is a rank's, else a micro-batch's
  std::int64_t part_samples_;
  double part_factor_ = 1;  ///< makes the part's mean of gradients divided by the batch
  StepSquares squares_;
};

/// Samples of a micro-batch whose losses this rank has.
std::int64_t own_samples(const Program& program);

}  // namespace oracle
