#pragma once
// How long does a GPU compute fused attention?
//
//   t = flops · (pairs of whole tiles / pairs) / (part · peak)
//
// part is what a kernel reaches of the matrix peak at the clocks that the device sustains, by the
// size of its heads, where at least 4 tiles of 128 queries stand on each multiprocessor; with fewer
// it is at most 0.44. Backward, of 2.5 times the operations, takes 3.1 times as long. A causal mask
// leaves s(s+1)/2 pairs, and tiles on the diagonal are computed whole: about s(s+128)/2.
//
// Rates are those measured, as parts of what the device's clocks sustained: 0.95 of the peak of an
// A100, 0.94 of a GH200's, 0.9 of an H100's, 0.7 of a B200's.
//
// Parts by head size, of FlashAttention-2: A100 measured on Perlmutter, Hopper on a GH200,
// github.com/DebarghaG/estimate-train-time, MIT. Blackwell has Hopper's row, GPUs before Hopper and
// those of unknown generation the A100's, whatever the kernel.
//
// A framework says whose kernel it runs (AttentionKernel). Those of cuDNN and of FlashAttention-3
// use what Hopper added: H100 with 2,048 tokens and more, Shah et al., arXiv 2407.08608, figure 5;
// heads below 64 lose as much as with FlashAttention-2. On Blackwell cuDNN keeps Hopper's parts:
// 0.48 of a B200's peak for heads of 128, where 0.44 to 0.58 were measured
// (github.com/MooreThreads/SimuMax, e691807, configs/system). The newest, FlashAttention-4, is 1.2
// times as fast (Zadouri et al., 2026: 71 % of the peak where cuDNN reached 58), with narrow heads
// as much less as on Hopper.
//
// Worked: 32 heads of 128, 4096 queries and keys, A100: 275 GFLOP at 0.61 of 296 TFLOP/s are 1.52
// ms
//                                                      tests/cost/compute/gpu_attention_test.cpp

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {

/// `peak`: of one rank's share of the matrix unit [multiply-adds/s]; `units`: its multiprocessors.
Seconds attention_seconds(const KernelDemand& demand, const Device& device, double peak,
                          double units);

}  // namespace oracle
