#pragma once
// What was a step on one rank?

#include <cstdint>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/executor/gradient_squares.h"

namespace oracle {

struct StepRecord {
  double loss = 0;        ///< this rank's share of the mean over the batch
  double loss_scale = 1;  ///< of its gradients, which are fp16 where it is not 1
  /// Looking for gradients that are not finite, and asking the other ranks. Part of the step and of
  /// no item, since a plan has neither.
  double scale_seconds = 0;
  bool replayed = false;     ///< from a recording: neither its items nor its input were timed
  bool skipped = false;      ///< a gradient was not finite on some rank: no weight has moved
  double seconds = 0;        ///< of the whole step
  double input_seconds = 0;  ///< waiting for samples and targets, and bringing them in
  double speed = 0;          ///< of the processor afterwards, where someone looked
  StepSquares squares;       ///< of gradients, where they were asked for
  /// By what is measured (Program::items), over all micro-batches; none where the step was
  /// replayed.
  std::vector<double> item_seconds;
  std::vector<double> item_bytes;  ///< sent
  std::int64_t bytes = 0;          ///< sent, as the communicator counts them
  std::int64_t peak_memory = 0;    ///< of the back end's allocator
};

/// The step under way: what its parts are given, and what they leave behind.
struct StepState {
  std::int64_t number = 0;
  std::int64_t first_sample = 0;
  StepScalars scalars;
  StepRecord record;
};

}  // namespace oracle
