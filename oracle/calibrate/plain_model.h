#pragma once
// Which launch, time per operation and per element describe a family of kernels best?
//
//   minimize Σ w_i·((base_i − t_i) / max(base_i, t_i))²,   base = launch + a·operations +
//   b·elements
//
// all three ≥ 0, with w_i reweighted after Huber, and max(base, t) taken from the solution before:
// no kernel is off by more than 1, be it ten times too slow or too fast. Of three unknowns the best
// non-negative solution is the best of the least-squares solutions over the seven sets of unknowns
// that are not zero.
//                                                       tests/calibrate/plain_model_test.cpp

#include <span>

#include "oracle/cluster/kernel_key.h"

namespace oracle {

struct PlainModel {
  double launch = 0, per_operation = 0, per_element = 0;  ///< seconds
  double of(const KernelWork& work) const {
    return launch + per_operation * work.operations + per_element * work.elements;
  }
};

/// `work` and `seconds` are of the same kernels, at least one.
PlainModel fit_plain_model(std::span<const KernelWork> work, std::span<const double> seconds);

}  // namespace oracle
