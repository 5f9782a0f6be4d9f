#pragma once
// How many times as long does a measured kernel take where other ranks compute on its device?
//
// A kernel is measured by one rank with a core and the memory for itself. Of n ranks that share c
// cores, each computes for a share u of a phase (forward or backward), in stretches of d on the
// average, and waits for messages of layers in between. Ranks that waited for the same message go
// on together, but for what they are late by, l = 1 ms: of two that share a core one goes first.
// Whenever one computes, each other does so too with a chance of p, so that K of them do, binomial
// of n - 1 and p:
//
//   turns = E[max(1, (1 + K)/c)]     p = u + (1 - u)·d/(d + l)     u = C·turns / (C·turns + W)
//
// for C of computing and W of waiting; with W = 0 that is max(1, n/c). Ranks on c cores share their
// memory besides: a kernel that moves b bytes and takes t alone takes, beside m - 1 others that run
// the same, m = min(n, c) (Contention in cluster/profile.h; measured with N ranks at once),
//
//   t + s·p·min( (m - 1)·t,  (m - 1)/(N - 1)·slope·max(0, b - own) )
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
// Worked: 4 ranks on 2 cores take 2 turns where they only compute, and 1.48 where 10 stretches of
// 1 ms alternate with messages of 4 ms (u = 0.27, p = 0.63). A kernel of 2 ms that moves 81 MB, 1
// MB of them its own, at 0.01 ns a byte: 2.53 ms beside one other, 5.07 with two turns; as an
// update 2.8 and 5.6                                          tests/cost/compute/crowding_test.cpp

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
  double meets = 0;  ///< share of the time that a rank computes in which another does too, p
};

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention);

/// What a rank does in a phase, alone.
struct Course {
  Seconds computing, waiting;
  std::int64_t stretches = 1;  ///< of computing
};

Company company(const Crowd& crowd, const Course& course);

/// Of ranks that do nothing but compute.
Company closest_company(const Crowd& crowd);

/// What a kernel that was measured as `alone` and moves so much costs there.
Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd, const Company& company);

}  // namespace oracle
