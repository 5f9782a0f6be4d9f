#pragma once
// How long does a GPU compute fused attention?
//
//   t = flops · (pairs of whole tiles / pairs) / (part · peak)
//
// part is what a kernel reaches of the matrix peak by the size of its heads, where at least 4 tiles
// of 128 queries stand on each multiprocessor; with fewer it is at most 0.42. Backward, of 2.5
// times the operations, takes 3.1 times as long. A causal mask leaves s(s+1)/2 pairs, and tiles on
// the diagonal are computed whole: about s(s+128)/2.
//
// Parts by head size: A100 measured on Perlmutter, Hopper on a GH200 with the same kernel
// (FlashAttention-2), github.com/DebarghaG/estimate-train-time, MIT. Later GPUs have Hopper's row,
// earlier ones and those of unknown generation the A100's: no one measured them.
//
// Worked: 32 heads of 128, 4096 queries and keys, A100: 275 GFLOP at 0.58 of 312 TFLOP/s are 1.52
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
