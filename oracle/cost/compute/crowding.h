#pragma once
// How many times as long does a measured kernel take where other ranks compute on its device?
//
// A kernel is measured by one rank with a core and the memory for itself. Of n ranks that share c
// cores, each computes for a share u of a phase (forward or backward) and waits for messages of
// layers for the rest. How many others compute at a moment is K, binomial of n - 1 and u:
//
//   turns = E[max(1, (1 + K)/c)]     u = C·turns / (C·turns + W)
//
// for C of computing and W of waiting; with W = 0 that is max(1, n/c). Ranks on c cores share their
// memory besides: a kernel that moves b bytes and takes t alone takes, beside m - 1 others that run
// the same, m = min(n, c) (Contention in cluster/profile.h; measured with N ranks at once),
//
//   t + s·u·min( (m - 1)·t,  (m - 1)/(N - 1)·slope·max(0, b - own) )
//
// where `own` stays in a core's caches, and s is how much of what they compute is the same: all of
// an update, which ranks begin together; two thirds of every other pass, which is what coincides on
// the average of two that are each late by anything up to a kernel's length (seen on two cores: 0.5
// to 1, from network to network).
//
// For ranks of a pipeline, which wait for each other as well, both are the most that can be. A
// GPU's kernels are measured on the very share of it that a rank has. The roofline needs no factor,
// for it divides the device itself (roofline.h).
//
// Worked: 4 ranks on 2 cores take 2 turns where they only compute, and 1.06 where messages take
// four times as long as the kernels do alone (u = 0.21). A kernel of 2 ms that moves 81 MB, 1 MB of
// them its own, at 0.01 ns a byte: 2.53 ms beside one other, 5.07 with two turns; as an update 2.8
// and 5.6                                                     tests/cost/compute/crowding_test.cpp

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
};

/// How the ranks of a crowd meet.
struct Company {
  double turns = 1;  ///< that a rank takes on a core
  double busy = 0;   ///< share of the time in which another computes, u
};

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention);

/// In a phase whose kernels take `computing` alone and whose messages `waiting`.
Company company(const Crowd& crowd, Seconds computing, Seconds waiting);

/// Of ranks that do nothing but compute.
Company closest_company(const Crowd& crowd);

/// What a kernel that was measured as `alone` and moves so much costs there.
Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd, const Company& company);

}  // namespace oracle
