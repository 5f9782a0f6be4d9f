#pragma once
// Which kernel takes how long in a step, and what is reordered on its account?
//
// A back end around the processor's: it hands every call on, and keeps the processor time of each
// layer's passes. A reorder is one of activations where an operand has another layout after the
// call than before; all others are of weights, whose order a pass dictates.
//                                                     tests/validate/bench/watched_backend_test.cpp

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "microbench/kernels/backend.h"

namespace oracle {

/// An activation, or its gradient, that changed its layout for a pass.
struct ActivationReorder {
  std::string layer;  ///< whose kernel wanted it; "gradient sum" of an addition
  std::string kind;   ///< the layer's
  Pass pass = Pass::forward;
  std::int64_t from_block = 1, to_block = 1;
  std::int64_t bytes = 0;
  bool gradient = false;
  /// oneDNN has no optimized kernel of this pass for the layout before.
  bool dictated = false;
  /// Its pass, this reorder included, takes less than the kernel for the layout before.
  bool pays = false;

  /// Neither dictated nor worth it, nor of a layer defined on the plain order: a flattening, a
  /// matrix product.
  bool avoidable() const { return !dictated && !pays && kind != "flatten" && kind != "dense"; }
};

struct PassTime {
  double seconds = 0;     ///< reorders included
  ReorderCount reorders;  ///< of weights and activations; their seconds are the wall clock's
};

/// What the kernels did since `clear`.
struct Watch {
  std::map<std::pair<std::string, Pass>, PassTime> passes;  ///< by layer
  std::vector<ActivationReorder> reorders;
  double update_seconds = 0;
  double sum_seconds = 0;  ///< of gradients over several consumers

  void clear() { *this = {}; }
};

/// `inner` and `watch` outlive it. `inner` is the processor's back end.
std::unique_ptr<Backend> watched(Backend& inner, Watch& watch);

}  // namespace oracle
