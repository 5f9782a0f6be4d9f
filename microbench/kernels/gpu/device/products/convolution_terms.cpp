#include "microbench/kernels/gpu/device/products/convolution_terms.h"

#include <array>
#include <limits>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

using Numbers = std::vector<std::int64_t>;

Laid laid(Numbers dims, bool channels_last) {
  Numbers strides(dims.size(), 1);
  std::int64_t next = channels_last ? dims[1] : 1;
  for (std::size_t axis = dims.size() - 1; axis >= 2; --axis) {
    strides[axis] = next;
    next *= dims[axis];
  }
  strides[1] = channels_last ? 1 : next;
  strides[0] = channels_last ? next : next * dims[1];
  return {std::move(dims), std::move(strides)};
}

/// Samples, channels and the last `rank` spatial extents.
Numbers dims_of(const Extents& e, std::size_t rank) {
  Numbers dims{e.samples, e.channels};
  if (rank == 3) dims.push_back(e.depth);
  dims.push_back(e.height);
  dims.push_back(e.width);
  return dims;
}

Numbers last(const std::array<int, 3>& axes, std::size_t rank) {
  return {axes.end() - static_cast<std::ptrdiff_t>(rank), axes.end()};
}

cudnnDataType_t type_of(Element element) {
  if (element == Element::bf16) return CUDNN_DATA_BFLOAT16;
  return element == Element::fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

}  // namespace

int to_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    throw EnvironmentError(
        "cuDNN takes no tensor of more than 2^31 values along an axis; train "
        "with a smaller batch or on more ranks");
  }
  return static_cast<int>(value);
}

ConvolutionTerms terms_of(const CorrelationShape& shape, Element element, bool channels_last) {
  const Geometry& g = shape.geometry;
  Numbers filter = last(g.kernel, g.rank);
  filter.insert(filter.begin(), {shape.filter.filters, shape.filter.channels});
  return {.type = type_of(element),
          .channels_last = channels_last,
          .wide = laid(dims_of(g.wide, g.rank), channels_last),
          .narrow = laid(dims_of(shape.narrow, g.rank), channels_last),
          .filter = laid(std::move(filter), channels_last),
          .pad = last(g.pad, g.rank),
          .stride = last(g.stride, g.rank),
          .dilation = last(g.dilation, g.rank),
          .groups = shape.groups};
}

}  // namespace oracle::gpu
