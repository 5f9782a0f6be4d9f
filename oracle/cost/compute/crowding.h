#pragma once
// How many times as long does a measured kernel take where other ranks compute on its device?
//
// A kernel is measured by one rank with a core and the memory for itself. Ranks on c cores share
// their memory, the clock that a busy processor holds, and where cores are threads their
// arithmetic. Beside m - 1 others, m = min(n, c), a kernel that moves b bytes and takes t alone
// takes (Contention in cluster/profile.h; measured with N ranks at once)
//
//   t + A + s·z·M      A + M = min( (m - 1)·t,  (m - 1)/(N - 1)·(a·t + slope·max(0, b - own)) )
//
// A, what the slowdown a takes, is lost beside whatever the others compute. M, the waiting for
// memory, is lost beside the same kernel: `own` stays in a core's caches, z is how much of memory's
// speed cores share in the mean, and s how much of what they compute is the same. That is all of an
// update, which ranks begin together, and two thirds of another pass: what coincides on the average
// of two that are each late by anything up to a kernel's length.
//
// More ranks than cores share the core: all of it takes n/c times as long. How they take turns is
// not known, so such a price is assumed, and off by up to 0.3·(1 - c/n) of it: kernels shorter than
// a turn of the system's often run to their end, and messages come later instead. On hosts of which
// two share a core kernels took 1.3 to 1.9 times as long.
//
// A GPU's kernels are measured on the very share of it that a rank has. The roofline needs no
// factor, for it divides the device itself (roofline.h).
//
// Worked: a kernel of 2 ms that moves 81 MB, 1 MB of them its own, at 0.01 ns a byte: 2.53 ms
// beside one other, as an update 2.8; at a slowdown of 0.1 besides 2.73 ms; as an update where half
// is shared 2.4 ms. Of 4 ranks on 2 cores 5.07 ms ± 15 % and more
//                                                              tests/cost/compute/crowding_test.cpp

#include <cstdint>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/graph/layer.h"

namespace oracle {

struct Crowd {
  std::int64_t ranks = 1;  ///< that compute on the device, n
  std::int64_t cores = 1;  ///< c
  Contention contention;

  /// n/c, or 1 where each has a core.
  double ranks_per_core() const;

  /// Relative half-width of what is assumed of ranks that share a core; 0 where each has its own.
  double shared_core_uncertainty() const;
};

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Profile& profile);

/// What a kernel that was measured as `alone` and moves so much costs there.
Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd);

}  // namespace oracle
