#pragma once
// How wide is the 90 % interval of a price that no one measured?
//
// The relative half-width u: measured lies in predicted·(1 ± u) nine times in ten. It is what nine
// in ten published steps of one GPU, of those that constants may be fitted on, keep to:
//
//   half-width = 90th percentile of |measured / predicted - 1|
//
// by generation and unit (vector, matrix). A generation without such steps has the widest of the
// same unit, a quarter wider. Strategies that divide images or filters run in no framework in wide
// use, and nothing was measured that their intervals could be fitted on: they have those of the
// widest class of all, data parallel in fp16, a quarter wider. Processors: assumed.
//
// Where jobs measured the pace of a cluster's kernels (cluster/pace.h), a part of it is left.
//
// Of collectives the same over the published ones of more than 64 MiB, by kind of link.
//
// Worked: kernels of a Maxwell ± 15 %                             tests/cost/uncertainty_test.cpp
// tests/readme/intervals.py holds the constants to what `oracle accuracy` computes.

#include "oracle/cluster/cluster.h"
#include "oracle/cluster/placement.h"
#include "oracle/plan/plan.h"

namespace oracle {

double kernel_uncertainty(const Cluster& cluster, DataType type);

/// The same of a plan's kernels, which may be run in a way that nothing was measured of.
double kernel_uncertainty(const Plan& plan, const Cluster& cluster);

/// Of a collective over links as described: that of the widest which joins members.
double link_uncertainty(const Group& group);

/// The same of a plan's transfers.
double link_uncertainty(const Plan& plan, const Group& group);

}  // namespace oracle
