#pragma once
// How long does a kernel take on a device that no one has measured?
//
//   t = start + (arithmetic^p + memory^p)^(1/p)
//
// as roofline_terms.h has it. start: of a GPU's product or convolution 4/3 of its launch overhead,
// of its streams 2/3, of a processor's kernels the launch overhead. memory: traffic / (0.85 of a
// GPU's bandwidth, 0.8 of a processor's). p = 2.5 where a GPU contracts; else the longer counts.
//
// Arithmetic of a GPU's products stands in gpu_product.h, of its convolutions in gpu_convolution.h,
// of its fused attention in gpu_attention.h, constants of each generation in gpu_library.h. What
// streams runs its operations on the vector unit. Of a processor:
//
//   arithmetic = flops / (peak * efficiency)
//   efficiency = ceiling * max over tiles and splits s of
//                tile efficiency * m*n*groups*s / (tile area * P * waves) * (k/s) / (k/s + k_half)
//
// with P cores and waves = ceil(tiles*s/P): a library takes the best of its tiles, and cuts a long
// k in s parts where m x n alone gives too few tiles.
//
// A product in tf32 runs in fp32 on the vector unit where that takes less: libraries may choose.
//
// In a step a GPU's product or convolution takes 1.2 times as long as repeated alone: caches and
// clocks. So does any kernel by the factor that jobs measured on the cluster (cluster/pace.h).
//
// Williams et al., CACM 52(4), 2009, for the roofline. Constants of processors are assumptions of
// ours. The price is assumed, as far off as uncertainty.h says.
//
// Worked: 7.2e8 bytes stream on a V100 in 0.94 ms
//                                                        tests/cost/compute/roofline_test.cpp

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cost/compute/gpu_library.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/cost/compute/roofline_terms.h"

namespace oracle {

/// Part of a processor's peak that a product of this shape can reach, in (0, 1].
double contraction_efficiency(const KernelDemand& demand, const Device& device);

/// On one rank's share of the device (cluster.ranks_per_device split it evenly), in `type`, but for
/// what has no operands of 8 bits and fewer there: in wide_of(type).
RooflineTerms roofline_terms(const KernelDemand& demand, DataType type, const Cluster& cluster);

/// Of what contracts on a GPU whose libraries have these constants, repeated alone.
RooflineTerms contraction_terms(const KernelDemand& demand, DataType type, const Cluster& cluster,
                                const GpuLibrary& library);

/// The price in a step that follows from the terms.
Cost price_of(const RooflineTerms& terms, double uncertainty);

/// Both at once, as far off as kernels of such a device are.
Cost roofline(const KernelDemand& demand, DataType type, const Cluster& cluster);

}  // namespace oracle
