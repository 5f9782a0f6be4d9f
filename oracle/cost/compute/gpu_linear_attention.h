#pragma once
// How long does a GPU compute linear attention?
//
//   t    = (flops − states)/rate + max(states/rate, chunks · hop)
//   rate = r · clock · multiprocessors
//
// Kernels that take chunks of some positions are small products between which values come and go:
// they do as much on each multiprocessor in a clock, whatever its matrix unit could do, and no more
// than that. What hands the state from chunk to chunk, 4·d_k·d_v FLOPs for each position and head,
// waits for the one before, so many clocks, which few heads and long texts show. Backward hands
// states and their gradients, at a part of the rate. The traffic is priced beside it (roofline.h).
//
// r, hop and that part are those of flash-linear-attention 0.5.1 on an H200: 17 passes with 4 to 64
// heads of 128, 8,192 and 32,768 positions in 1 to 8 texts (github.com/QwenLM/FlashQLA, 6e5d2ea,
// benchmark/benchmark_results_H200.txt, MIT). It is 20 % off at most there, and where it was not
// fitted, on a GB200 and an RTX 5090, 35 % at most. FlashQLA's own kernels take half as long, and
// of Mamba-2 no kernel was measured.
//
// Worked: 16 heads and 32 of values, of 128 each, 8,192 positions, H200: 0.38 ms beside 0.33 ms of
// traffic, together 0.47 ms; measured 0.472  tests/cost/compute/gpu_linear_attention_test.cpp

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {

/// `peak`: of one rank's share of the matrix unit [multiply-adds/s]; `units`: its multiprocessors.
Seconds linear_attention_seconds(const KernelDemand& demand, const Device& device, double peak,
                                 double units);

}  // namespace oracle
