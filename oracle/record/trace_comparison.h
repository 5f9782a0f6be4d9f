#pragma once
// How far is a prediction from what a profiler recorded of one rank?
//
// The prediction's side is that of the rank that computes longest: of a pipeline the stage that
// limits it. Predicted compute holds what kernels wait for the host to launch them; what was
// recorded of that is idle time. Of classes the prediction's side is the sum of its layers' passes,
// of the optimizer its update, of collectives how long they take, hidden or not.
//
// A trace names neither network nor batch nor precision: what was predicted is taken for what ran.
// What it does name must agree: the number of ranks, and the GPU (cluster/device_name.h).
//
// Worked: 8 ms ± 10 % predicted, 10 ms recorded → −20 %, outside the interval by 1.2 ms
//                                                         tests/record/trace_comparison_test.cpp

#include <string>
#include <vector>

#include "oracle/record/pair.h"
#include "oracle/record/prediction.h"
#include "oracle/record/traced_step.h"

namespace oracle {

struct ClassPair {
  KernelClass of = KernelClass::unknown;
  Pair seconds;
  double kernels = 0;  ///< recorded in a step
};

struct CollectivePair {
  std::string name;
  Pair seconds;
  double calls = 0;  ///< recorded in a step
};

struct TraceComparison {
  Cost predicted;
  TracedStep recorded;
  Pair step, compute, communication, exposed_communication, exposed_copies, idle;
  std::vector<ClassPair> classes;           ///< that either side has, by KernelClass
  std::vector<CollectivePair> collectives;  ///< that either side has, longest recorded first
  Pair allocated, reserved;                 ///< peak of the allocator [B]
  std::vector<std::string> notes;

  double signed_error() const { return *step.signed_error(); }
  /// By how much the recorded step lies outside the predicted interval; 0 inside.
  Seconds outside() const;
};

/// `name` is the trace's, in messages. Throws InputError where it is of another number of ranks.
TraceComparison compare(const Prediction& prediction, const Trace& trace, const std::string& name);

}  // namespace oracle
