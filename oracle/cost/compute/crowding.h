#pragma once
// How many times as long does a measured kernel take where other ranks compute on its device?
//
// A kernel is measured by one rank with a core and the memory for itself. Ranks on one processor
// share its memory, so that a kernel that moves b bytes and takes t alone takes, beside n − 1
// others that run the same (Contention in cluster/profile.h; measured with N ranks at once),
//
//   t + s·min( (n − 1)·t,  (n − 1)/(N − 1)·slope·max(0, b − own) )
//
// where `own` stays in a core's caches, and s is how much of its time the others run the same: all
// of an update, which ranks begin together; two thirds of every other pass, which is what coincides
// on the average of two that are each late by anything up to a kernel's length (seen on two cores:
// 0.5 to 1, from network to network). Where there are more ranks than cores, they take turns
// besides:
//
//   turns = max(1, ranks on the device / its cores)
//
// For ranks of a pipeline, which do not all compute all the time, both are the most that can be. A
// GPU's kernels are measured on the very share of it that a rank has. The roofline needs no factor,
// for it divides the device itself (roofline.h).
//
// Worked: 4 ranks on 2 cores take 2 turns. A kernel of 2 ms that moves 81 MB, 1 MB of them its own,
// at 0.01 ns a byte: 2.53 ms beside one other, 5.07 with two turns; as an update 2.8 and 5.6
//                                                             tests/cost/compute/crowding_test.cpp

#include <cstdint>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/graph/layer.h"

namespace oracle {

struct Crowd {
  double turns = 1;    ///< that ranks take on a core
  double at_once = 1;  ///< ranks that compute, n
  Contention contention;
};

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention);

/// What a kernel that was measured as `alone` and moves so much costs there.
Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd);

}  // namespace oracle
