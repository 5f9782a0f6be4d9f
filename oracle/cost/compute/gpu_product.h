#pragma once
// How long does a GPU multiply matrices?
//
// A library takes the best of its tiles a x b and of the parts s in which it cuts a long k:
//
//   tiles  = ceil(m/a) * ceil(n/b) * groups * s
//   rounds = max(2, ceil(tiles / P))            P multiprocessors; each wants two tiles to be busy
//   t      = rounds * a*b * (k/s + k0) * (1 + beta*(1/a + 1/b)) * P / rate
//            + ((s+1)*m*n*groups*4/2) / bandwidth + 0.3 * start            where s > 1
//   rate   = peak/2 * ceiling * factor          multiply-adds
//
// Waves of tiles are felt in full, k0 is what starting and ending a tile costs, and the parts are
// added up in fp32. NVIDIA, "Matrix Multiplication Background User's Guide", for tiles and waves;
// the form and k0 were found on DeepBench's V100 kernels.
//
// Worked: 4096x7000x4096 in fp32 on a V100 of 80 multiprocessors: 16.99 ms with its start
// (measured: 15.90)                                    tests/cost/compute/gpu_kernels_test.cpp

#include <span>

#include "oracle/cost/compute/gpu_library.h"

namespace oracle {

/// Of one group's product; groups run side by side.
struct Product {
  double m, n, k, groups;
};

/// What one rank has of a GPU.
struct GpuShare {
  double multiprocessors;
  double peak;       ///< multiply-adds per second that its clock sustains
  double bandwidth;  ///< bytes per second that a stream reaches
  double start;      ///< seconds that a product's kernel takes at least
  double sharpness;  ///< of its terms (roofline_terms.h)
};

/// How a library runs a product.
struct ProductRun {
  std::span<const Tile> tiles;
  double ceiling, beta;
  double factor = 1;   ///< on the rate
  double depth = 8;    ///< k0
  bool splits = true;  ///< whether it may cut k
};

/// Arithmetic of the product, without its start and its memory [s].
double product_seconds(const Product& product, const ProductRun& run, const GpuShare& share);

}  // namespace oracle
