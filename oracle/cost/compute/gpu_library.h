#pragma once
// What do the kernel libraries of one generation of GPUs make of its data sheet?
//
// One row of constants per generation and unit. Large products reach `ceiling` of the peak times
// what a tile of a x b lets them, a*b / (a*b + beta*(a + b)): the more it loads per multiply-add,
// the less. Convolutions run as products with tile lists of their own (gpu_convolution.h).
//
// What such a kernel loses to loads and to filling its tiles takes time, and costs the more
// multiply-adds the more the unit makes in a clock. A board whose matrix unit makes r of them where
// the row's makes R (GeForce: half and a quarter of the boards for data centers) loses r/R of it:
//
//   beta' = beta*r/R   weight_depth' = weight_depth*r/R   1/f' - 1 = (1/f - 1)*r/R
//
// for f of passes, few and misaligned. Measured: a product of 8192 by mli/transformers-benchmarks
// (04df81d) holds 1.02 of an RTX 3090 Ti's peak, and one of an A6000 with twice its rate, throttled
// by its power, 0.61.
//
// Each row is of the kernels of one device and is judged on those of others
// (data/published/kernels):
//
//   row              device                source
//   maxwell          Titan X               DeepBench, cuDNN 5.0
//   pascal           Titan X Pascal        DeepBench, cuDNN 6
//   volta, vector    V100                  DeepBench, cuDNN 7
//   volta, matrix    V100                  DeepBench, cuDNN 7.6
//   ampere, matrix   A100 linear layers    LLM operators on Perlmutter; convolutions as on Volta
//
// `oracle accuracy --fit` fits them again on these devices, next to those in use; no fit has a loss
// that is less by more than 0.03 (tests/cli/library_fits_test.cpp).
//
// DeepBench: github.com/baidu-research/DeepBench, Apache 2.0. On devices not fitted the median
// error is 7 to 13 % of large products, 10 to 20 % of convolutions and 5 % of linear layers on a
// GH200. Products with few rows on Maxwell and Pascal are 25 to 48 % off: no rule of shape fits
// them.
//
// No kernel of a Kepler was measured: it has Maxwell's row. Later GPUs have Volta's row for the
// vector unit and Ampere's for matrices, and so has a GPU of unknown generation.

#include <array>
#include <cstdint>
#include <span>

#include "oracle/cluster/device.h"

namespace oracle {

/// A shape of output tile: rows x columns.
struct Tile {
  double rows, columns;
};

struct GpuLibrary {
  std::span<const Tile> tiles;  ///< of products
  double rate;                  ///< R: multiply-adds of a matrix unit in a clock; 0: of vectors
  double ceiling;               ///< part of the peak that an endless tile would reach
  double beta;                  ///< columns and rows loaded, in multiply-adds
  /// What a convolution's passes reach of a product's rate: forward, data, weights.
  std::array<double, 3> passes;
  double hole;          ///< part of the inserted zeros that a strided data gradient multiplies
  double weight_depth;  ///< k that starting a tile of the weight gradient costs
  double few;           ///< rate that is left with few input channels
  double fused;         ///< rate of F(2x2,3x3) in one kernel; 0: there is none
  double transforms;    ///< traffic of the transforms of F(4x4,3x3), part of all they touch
  bool unfused_maps;    ///< F(4x4,3x3) of maps, not of the weight gradient alone
  double misaligned;    ///< rate that is left where rows are no multiples of 8 values
};

/// Where a device has a matrix unit for the format, the row is of that unit, at the unit's rate.
/// Worked: a quarter of the A100's rate, as an RTX 3090 has: beta 2.5, forward 0.97, few 0.60
///                                                     tests/cost/compute/gpu_kernels_test.cpp
GpuLibrary gpu_library(const Device& device, DataType type);

}  // namespace oracle
