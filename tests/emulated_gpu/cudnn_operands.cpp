#include "tests/emulated_gpu/cudnn_operands.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace oracle::emulated {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Extents or steps of the tensors' last axes, before which there are `absent` ones.
Axes axes_of(const Numbers& values, std::size_t first, std::int64_t absent) {
  Axes axes{absent, absent, absent};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
            axes.end() - static_cast<std::ptrdiff_t>(values.size() - first));
  return axes;
}

/// Calls visit(offset) for each element, the last axis fastest.
template <class Visit>
void for_each_offset(const Numbers& dims, const Numbers& strides, Visit visit) {
  std::array<std::int64_t, 5> size{1, 1, 1, 1, 1}, step{};
  std::copy(dims.begin(), dims.end(), size.end() - static_cast<std::ptrdiff_t>(dims.size()));
  std::copy(strides.begin(), strides.end(), step.end() - static_cast<std::ptrdiff_t>(dims.size()));
  for (std::int64_t a = 0; a < size[0]; ++a) {
    for (std::int64_t b = 0; b < size[1]; ++b) {
      for (std::int64_t c = 0; c < size[2]; ++c) {
        for (std::int64_t d = 0; d < size[3]; ++d) {
          const std::int64_t line = a * step[0] + b * step[1] + c * step[2] + d * step[3];
          for (std::int64_t e = 0; e < size[4]; ++e) visit(line + e * step[4]);
        }
      }
    }
  }
}

}  // namespace

bool fit(const Numbers& x, const Numbers& w, const Numbers& y, const Slide& slide) {
  if (x[0] != y[0] || y[1] != w[0]) return false;
  if (x[1] != w[1] * slide.groups || w[0] % slide.groups != 0) return false;
  for (std::size_t axis = 2; axis < x.size(); ++axis) {
    const std::size_t s = axis - 2;
    const std::int64_t reach = (w[axis] - 1) * slide.dilation[s] + 1;
    if (slide.pad[s] < 0 || x[axis] + 2 * slide.pad[s] < reach) return false;
    if (y[axis] != 1 + (x[axis] + 2 * slide.pad[s] - reach) / slide.stride[s]) return false;
  }
  return true;
}

ConvolutionShape shape_of(const Numbers& x, const Numbers& w, const Numbers& y,
                          const Slide& slide) {
  return {.samples = x[0],
          .groups = slide.groups,
          .channels = w[1],
          .filters = w[0] / slide.groups,
          .in = axes_of(x, 2, 1),
          .out = axes_of(y, 2, 1),
          .taps = axes_of(w, 2, 1),
          .pad = axes_of(slide.pad, 0, 0),
          .stride = axes_of(slide.stride, 0, 1),
          .dilation = axes_of(slide.dilation, 0, 1)};
}

Values read(const Strided& tensor, const void* data) {
  Values values;
  const Array array{data, tensor.type};
  for_each_offset(tensor.dims, tensor.strides,
                  [&](std::int64_t at) { values.push_back(array[at]); });
  return values;
}

void write(const Strided& tensor, void* data, const Values& values) {
  auto next = values.begin();
  for_each_offset(tensor.dims, tensor.strides,
                  [&](std::int64_t at) { put(data, tensor.type, at, *next++); });
}

}  // namespace oracle::emulated
