#pragma once
// What cuDNN's calls and its graphs say alike of a convolution's operands: tensors of any strides,
// and a window that slides.

#include <cstdint>
#include <vector>

#include "tests/emulated_gpu/convolution.h"
#include "tests/emulated_gpu/values.h"

namespace oracle::emulated {

/// Samples or filters, channels, then the spatial axes.
struct Strided {
  Element type = Element::fp32;
  std::vector<std::int64_t> dims, strides;
};

struct Slide {
  std::vector<std::int64_t> pad, stride, dilation;
  std::int64_t groups = 1;
};

/// Whether the output has the extents 1 + ⌊(in + 2·pad − ((k − 1)·dilation + 1))/stride⌋, and
/// channels go together.
bool fit(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
         const std::vector<std::int64_t>& y, const Slide& slide);
ConvolutionShape shape_of(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
                          const std::vector<std::int64_t>& y, const Slide& slide);

/// In the order of the dims, the last fastest.
Values read(const Strided& tensor, const void* data);
/// Rounds to the tensor's type.
void write(const Strided& tensor, void* data, const Values& values);

}  // namespace oracle::emulated
