#pragma once
// What is cuDNN told of a convolution, by its calls (convolution_calls.h) and by its graphs
// (convolution_plans.h) alike?
//
// `narrow` is what windows over `wide` give. Forward of a convolution makes the narrow of the wide,
// of a transposed one the wide of the narrow; the third pass makes the filter's gradient of both.
//
//   Worked: 2x8x1x5x7 of two spatial axes, channels last: dims 2, 8, 5, 7, strides 280, 1, 56, 8
//                                        tests/microbench/kernels/gpu/convolution_terms_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/kernels/gpu/device/movement/geometry.h"
#include "microbench/kernels/gpu/device/runtime/context.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"

namespace oracle::gpu {

struct CorrelationShape {
  std::string name;         ///< of the layer, for the record
  bool transposed = false;  ///< its forward pass makes the wide of the narrow
  Geometry geometry;
  Extents narrow;
  FilterShape filter;
  int groups = 1;
  bool rectified = false;  ///< narrow_of is given a bias
};

enum class Operation : std::uint8_t { rectified_narrow, narrow, wide, filter };

struct Operands {
  void* wide = nullptr;
  void* narrow = nullptr;
  void* filter = nullptr;
  const void* bias = nullptr;
};

/// Extents of a tensor: samples, channels, then its spatial axes; and how far apart neighbours
/// along each lie.
struct Laid {
  std::vector<std::int64_t> dims, strides;
};

struct ConvolutionTerms {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  bool channels_last = true;
  Laid wide, narrow, filter;
  std::vector<std::int64_t> pad, stride, dilation;
  int groups = 1;
};

ConvolutionTerms terms_of(const CorrelationShape& shape, Element element, bool channels_last);

/// Of cuDNN's, where they are no more than it takes.
int to_int(std::int64_t value);

}  // namespace oracle::gpu
