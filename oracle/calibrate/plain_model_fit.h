#pragma once
// Which plain model (cluster/plain_model.h) describes a family of kernels best?
//
//   minimize Σ w_i·((t(x_i) − t_i) / max(t(x_i), t_i))²
//
// no unknown negative, with w_i reweighted after Huber, and max(t(x), t) taken from the solution
// before: no kernel is off by more than 1, be it ten times too slow or too fast. Of so few unknowns
// the best non-negative solution is the best of the least-squares solutions over the sets of
// unknowns that are not zero.
//                                                   tests/calibrate/plain_model_fit_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/plain_model.h"

namespace oracle {

/// Elements with which a cache may be full, a factor of eight apart: those that kernels enough lie
/// on either side of.
std::vector<double> full_caches_among(std::span<const KernelWork> work);

/// `work` and `seconds` are of the same kernels, at least one. `full_caches`: elements beyond which
/// each may take longer.
PlainModel fit_plain_model(std::span<const KernelWork> work, std::span<const double> seconds,
                           std::span<const double> full_caches = {});

}  // namespace oracle
