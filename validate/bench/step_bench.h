#pragma once
// How fast is the serial training step, and what could it be?
//
// The plan of `serial` runs through the executor with the processor's kernels, on one thread. In
// turn, round by round: a step; oneDNN alone on each distinct convolution and dense pass of the
// network; a step of the program beside, if there is one. With F_i the FLOPs of pass i, t_i its
// time in the step, a_i alone, and T the step's:
//   best rate  Σ F_i / Σ a_i        rate  Σ F_i / Σ t_i        step rate  Σ F_i / T
// T leaves out making the samples, which a data loader would do; all times are processor time at
// the speed that is typical of the processor in the run (SpeedGuard: timed at 0.9 of it, 100 ms
// count as 90), and figures of a round are reduced to their median over the rounds.
//                                                         tests/validate/bench/step_bench_test.cpp

#include <map>
#include <string>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/bench/beside.h"
#include "validate/bench/request.h"
#include "validate/bench/watched_backend.h"

namespace oracle {

/// One convolution's or dense layer's pass.
struct ContractionTime {
  std::string layer;
  Pass pass = Pass::forward;
  double flops = 0;
  double step_seconds = 0;   ///< within the step, its reorders included
  double alone_seconds = 0;  ///< of the shape alone
};

/// A kind's pass over all its layers, everything but convolutions and dense layers.
struct KindTime {
  std::string kind;
  Pass pass = Pass::forward;
  double seconds = 0;
};

struct StepBench {
  std::string kernels, processor;
  double slowest = 1, fastest = 1;  ///< the processor's speed, in units of the typical one
  double step_seconds = 0, step_wall_seconds = 0;  ///< without making the samples
  double samples_seconds = 0;                      ///< making them
  double contraction_seconds = 0;                  ///< convolutions and dense, with their reorders
  double alone_seconds = 0;
  double flops = 0;
  ReorderCount reorders;  ///< of one step
  std::vector<ActivationReorder> activation_reorders;
  std::vector<ContractionTime> contractions;
  std::vector<KindTime> kinds;
  double update_seconds = 0, sum_seconds = 0;
  std::string beside;                            ///< the program's name
  std::map<std::string, double> beside_seconds;  ///< of its step, by its ways to take it

  double rate() const { return flops / contraction_seconds; }
  double step_rate() const { return flops / step_seconds; }
  double best_rate() const { return flops / alone_seconds; }
  double rest_seconds() const { return step_seconds - contraction_seconds; }
  double rest_share() const { return rest_seconds() / step_seconds; }
  std::int64_t avoidable_reorders() const;
  /// Of the faster way beside; 0 without one.
  double speed_beside() const;
};

/// `beside` may be null. Throws InputError for a network with transposed convolutions.
StepBench measure_step(const StepBenchRequest& request, Beside* beside);

}  // namespace oracle
