#pragma once
// What does it cost to add up the weight gradients of several micro-batches?
//
// The first of a step's m micro-batches leaves its gradients where the sum is kept; every other one
// adds to them, in backward_weights:
//
//   layer                   what follows the kernel        touches of the weights    launches
//   any                     a sum of two, as long          3                         1
//   dense, on a GPU         nothing: d = c + a·b           1                         0
//   looked up in a table    nothing: its rows are added    0                         0
//
// All micro-batches are priced alike, so each bears (m - 1)/m of a sum, and a step the m - 1 of it.
// Where a stage's weights and their sums stay in the last-level cache from one micro-batch to the
// next, so does what the kernel writes into: it is through sooner than when it was measured, by
// about as much as two of the touches take, and a third of a sum is left. On a Xeon of 240 MB a
// rank a convolution of 2.4 million weights, in a stage of 197 MB, took a quarter to a half of a
// sum longer than where nothing was added, and a dense layer of 4.1 million, in one of 620, 1.4
// sums.
//
// Of evidence the sum has that of gradient_sum, which adds what has just been made to what was made
// some time ago as well.
//
// Worked: a 3x3 convolution 64→64 in fp32, 36864 weights, moves 442368 bytes in a sum; of four
// micro-batches each bears 0.75 of it                         tests/cost/accumulation_test.cpp

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/kernel_key.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {

/// Whether the weights of a stage, their sums and the largest gradient that is added to them fit
/// into a rank's part of the last-level cache.
bool sums_stay_cached(const Plan& plan, const Stage& stage, const Cluster& cluster);

/// How much of a sum each micro-batch bears in that pass, in [0, 1).
double accumulation_share(const Plan& plan, Pass pass, bool cached);

/// Of one sum of a layer's gradients.
KernelDemand accumulation_demand(const Layer& layer, const Piece& piece, const Training& training,
                                 DeviceClass device_class);

/// The key under which a profile may hold a sum of as many values.
KernelKey accumulation_key(const Layer& layer, const Piece& piece, const Training& training);

/// A pass with its share of a sum. It goes on erring with the kernels of its own fit.
Cost with_accumulation(const Cost& pass, const Cost& sum, double share);

}  // namespace oracle
