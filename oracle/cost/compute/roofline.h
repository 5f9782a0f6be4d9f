#pragma once
// How long does a kernel take on a device that nobody has measured?
//
//   t = launches·t_launch + max( flops / (peak · efficiency),  traffic / (bandwidth · kStreaming) )
//
// The efficiency of a contraction depends on its shape: part of a tile is wasted at the edges (tile
// quantization), part of a wave of tiles leaves multiprocessors idle (wave quantization), a short k
// never fills the pipeline, and matrix units want features in multiples of 8:
//
//   efficiency = ceiling · max over tiles and splits s of
//                tile efficiency · m·n·groups·s / (tile area · P · waves) · (k/s) / (k/s + k_half)
//
// with P multiprocessors and waves = ⌈tiles·s/P⌉: a library takes the best of its tiles, and cuts a
// long k in s parts where m×n alone gives too few tiles. What streams runs its operations on the
// vector unit. Winograd's minimal filtering saves GPUs part of the fp32 products of 3x3 windows
// (Lavin & Gray, CVPR 2016).
//
// Williams et al., CACM 52(4), 2009, for the roofline; NVIDIA, "Matrix Multiplication Background
// User's Guide", for tiles and waves. All constants are assumptions of ours, so is the price: see
// kUncertainty in roofline.cpp.
//
// Worked: 10240×1024×4096 on 80 multiprocessors fills 4 waves of 256x128 tiles: 0.85·4096/4160 =
// 0.837 of an fp32 vector peak                               tests/cost/compute/roofline_test.cpp

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {

/// Fraction of the peak a product of this shape can reach, in (0, 1].
double contraction_efficiency(const KernelDemand& demand, DataType type, const Device& device);

/// What could bound a kernel: it takes launch + max(arithmetic, memory).
struct RooflineTerms {
  Seconds launch, arithmetic, memory;
};

/// On one rank's share of the device (cluster.ranks_per_device split it evenly).
RooflineTerms roofline_terms(const KernelDemand& demand, DataType type, const Cluster& cluster);

/// The price that follows from the terms.
Cost price_of(const RooflineTerms& terms);

/// Both at once.
Cost roofline(const KernelDemand& demand, DataType type, const Cluster& cluster);

}  // namespace oracle
