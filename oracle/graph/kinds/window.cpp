#include "oracle/graph/kinds/window.h"

#include <algorithm>
#include <string>

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

std::int64_t reach_along(const Window& window, std::size_t axis) {
  return window.dilation[axis] * (window.kernel[axis] - 1) + 1;
}

std::int64_t padded(const Window& window, const Shape& input, std::size_t axis) {
  return input[kSpatialAxes[axis]] + window.pad_before[axis] + window.pad_after[axis];
}

}  // namespace

std::array<std::int64_t, 3> over_axes(const std::vector<std::int64_t>& values,
                                      std::int64_t absent) {
  std::array<std::int64_t, 3> spread{absent, absent, absent};
  std::copy_backward(values.begin(), values.end(), spread.end());
  return spread;
}

Window read_window(const Layer& layer, const Attributes& attributes, DefaultStride stride) {
  const std::size_t rank = layer.spatial_rank;
  if (rank == 0) {
    throw InputError("", "the network's input is flat and a window needs positions to slide over",
                     "use a dense layer, or give the input a width");
  }
  if (attributes.find("kernel") == nullptr) {
    throw InputError("", "\"kernel\" is missing",
                     "add \"kernel\", an integer or one per spatial axis");
  }
  Window window;
  window.kernel = over_axes(attributes.extents("kernel", rank, 1, 1), 1);
  window.stride = attributes.find("stride") == nullptr && stride == DefaultStride::kernel
                      ? window.kernel
                      : over_axes(attributes.extents("stride", rank, 1, 1), 1);
  const auto pad = over_axes(attributes.extents("pad", rank, 0, 0), 0);
  const bool one_sided =
      attributes.find("pad_before") != nullptr || attributes.find("pad_after") != nullptr;
  if (one_sided && attributes.find("pad") != nullptr) {
    throw InputError("", "\"pad\" is given together with \"pad_before\" or \"pad_after\"",
                     "write either \"pad\" or the other two");
  }
  window.pad_before = one_sided ? over_axes(attributes.extents("pad_before", rank, 0, 0), 0) : pad;
  window.pad_after = one_sided ? over_axes(attributes.extents("pad_after", rank, 0, 0), 0) : pad;
  window.dilation = over_axes(attributes.extents("dilation", rank, 1, 1), 1);
  return window;
}

Shape slide(const Window& window, const Shape& input) {
  Shape output = input;
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    const std::int64_t room = padded(window, input, axis) - reach_along(window, axis);
    if (room < 0) {
      const std::string name(name_of(kSpatialAxes[axis]));
      throw InputError("",
                       "a window of " + std::to_string(reach_along(window, axis)) +
                           " does not fit a " + name + " of " +
                           std::to_string(padded(window, input, axis)) +
                           " (padding included); the input is " + to_text(input),
                       "use a larger input or pad, or a smaller kernel");
    }
    output[kSpatialAxes[axis]] = room / window.stride[axis] + 1;
  }
  check_positions(output);
  return output;
}

void check_positions(const Shape& shape) {
  bounded_product({shape[Axis::depth], shape[Axis::height], shape[Axis::width]}, "its output");
}

void round_up(Window& window, const Shape& input) {
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    const std::int64_t stride = window.stride[axis];
    const std::int64_t room = padded(window, input, axis) - reach_along(window, axis);
    if (room < 0) continue;
    const std::int64_t last_start = (room + stride - 1) / stride * stride;
    const bool starts_inside = last_start < input[kSpatialAxes[axis]] + window.pad_before[axis];
    if (starts_inside) window.pad_after[axis] += std::max<std::int64_t>(0, last_start - room);
  }
}

Reach reach_of(const Window& window, const Shape& input, const Shape& output) {
  if (window == Window{}) return Reach::pointwise;
  return output.positions() == 1 && input.positions() > 1 ? Reach::whole : Reach::windowed;
}

}  // namespace oracle
