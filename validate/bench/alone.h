#pragma once
// How fast does oneDNN itself run a network's convolutions and dense layers?
//
// Each distinct shape and pass alone: the primitive in the formats that oneDNN prefers for it, on
// operands that stay where they are, repeated; the shortest time of a repetition counts. No layer
// of this project lies between, and no other layer's operands in the caches.
//                                                               tests/validate/bench/alone_test.cpp

#include <memory>
#include <string>

#include "microbench/kernels/kernel.h"

namespace oracle {

/// Convolution or dense layer, without pieces of windows and not transposed.
bool can_run_alone(const LocalLayer& layer);

/// Equal for layers whose pass is the same work.
std::string shape_of(const LocalLayer& layer, Pass pass);

/// Passes run alone, on one thread and in memory of their own.
class Alone {
 public:
  Alone();
  ~Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

  /// The shortest of `repeats` runs after a first one [s].
  double best_seconds(const LocalLayer& layer, Pass pass, int repeats);
  /// The same of a convolution whose input, or output, is in these blocks; 0 leaves the choice to
  /// oneDNN.
  double best_seconds_in(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                         std::int64_t output_block, int repeats);

  /// Whether oneDNN has an optimized kernel for a convolution's pass on an input, or an output, in
  /// these blocks; 0 leaves the choice to it.
  bool has_kernel(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                  std::int64_t output_block) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oracle
