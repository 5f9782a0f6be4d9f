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
// Main gradients, of a wider format than the weights, are always added to, by all m: the sum is
// touched in its own format, and what a dense layer's kernel adds to it is never written apart.
//
// All micro-batches are priced alike, so each bears (m - 1)/m of a sum, and a step the m - 1 of it.
// The kernel writes into scratch that the next layer takes as well. Scratch of up to a twentieth of
// a rank's part of the last-level cache is still there, and the kernel through sooner than when it
// was measured, by about as much as two of the touches take: a third of a sum is left. On a Xeon of
// 240 MiB a rank a convolution of 2.4 million weights (9 MiB) took a quarter to a half of a sum
// longer than where nothing was added, a dense layer of 4.1 million (16 MiB) 1.4 sums.
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

/// How much of a sum each micro-batch bears in a layer's pass, in [0, 1).
double accumulation_share(const Plan& plan, const Piece& piece, Pass pass, const Cluster& cluster);

/// Of one sum of a layer's gradients.
KernelDemand accumulation_demand(const Layer& layer, const Piece& piece, const Training& training,
                                 DeviceClass device_class);

/// The key under which a profile may hold a sum of as many values.
KernelKey accumulation_key(const Layer& layer, const Piece& piece, const Training& training);

/// A pass with its share of a sum. It goes on erring with the kernels of its own fit.
Cost with_accumulation(const Cost& pass, const Cost& sum, double share);

}  // namespace oracle
