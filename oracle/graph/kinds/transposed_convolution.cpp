// What does a transposed convolution (a convolution's gradient, used to widen) compute and touch?
//
//   out = (in − 1)·stride − pad_before − pad_after + dilation·(kernel − 1) + 1 + output_pad
//
// as in PyTorch's ConvTranspose. Every input element is multiplied with K·F/groups weights, so a
// pass has C·|x positions|·K·F/groups multiply-adds. Spread over the F·|y positions| outputs, these
// are (C/groups)·K·|x positions| / |y positions| each: `reduction`, and a remainder where that is
// no integer.
//
// The window slides over the output: what a convolution's forward reads, this one's backward reads,
// and the other way round.
//
// Worked: 2³ kernel, stride 2, 128→128 on 8³: 131,072 weights, 16³ outputs, 128 multiply-adds each
//                                                 tests/graph/kinds/transposed_convolution_test.cpp

#include <algorithm>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/kinds/weighted.h"
#include "oracle/graph/kinds/window.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"features", "output features"},
    {"kernel", "window size: one number, or one per spatial axis"},
    {"stride", "factor by which the output is wider; 1"},
    {"dilation", "distance between the positions of the window; 1"},
    {"pad", "positions cut off the output on each side; 0"},
    {"pad_before", "positions cut off before the output, in place of \"pad\""},
    {"pad_after", "positions cut off after the output, in place of \"pad\""},
    {"output_pad", "positions added after the output; 0"},
    {"groups", "independent groups of features; 1"},
    {"bias", "whether a bias is added; true"},
};

Shape widened(const Layer& layer, const Attributes& attributes) {
  const auto more = over_axes(attributes.extents("output_pad", layer.spatial_rank, 0, 0), 0);
  const Window& window = layer.window;
  Shape output = layer.input;
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    if (more[axis] >= std::max(window.stride[axis], window.dilation[axis]) && more[axis] > 0) {
      throw InputError("", "\"output_pad\" must be smaller than \"stride\" or \"dilation\"");
    }
    std::int64_t& extent = output[kSpatialAxes[axis]];
    extent = bounded_product({extent - 1, window.stride[axis]}, "its output") -
             window.pad_before[axis] - window.pad_after[axis] +
             window.dilation[axis] * (window.kernel[axis] - 1) + 1 + more[axis];
    if (extent < 1) {
      throw InputError("", "\"pad\" leaves nothing of the output", "lower \"pad\"");
    }
  }
  check_positions(output);
  return output;
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t channels = layer.input.channels();
  const std::int64_t features = attributes.integer("features", 1);
  layer.groups = attributes.integer("groups", 1, 1);
  if (channels % layer.groups != 0 || features % layer.groups != 0) {
    throw InputError("", "\"groups\" must divide the input and the output features");
  }
  layer.window = read_window(layer, attributes, DefaultStride::one);
  layer.output = widened(layer, attributes);
  layer.output[Axis::channel] = features;

  const auto [depth, height, width] = layer.window.kernel;
  const std::int64_t filter =
      bounded_product({channels / layer.groups, depth, height, width}, "one filter");
  const double spread = static_cast<double>(filter) * static_cast<double>(layer.input.positions()) /
                        static_cast<double>(layer.output.positions());
  layer.reduction = std::max<std::int64_t>(1, std::llround(spread));
  layer.reduction_remainder = spread - static_cast<double>(layer.reduction);
  layer.mixing = Mixing::contraction;
  layer.transposed = true;
  layer.reach = layer.window == Window{} ? Reach::pointwise : Reach::windowed;
  describe_weighted(layer, {features, filter, layer.input.channels()}, attributes);
  for (PassWork& work : layer.work) work.flops_per_output += 2 * layer.reduction_remainder;
}

}  // namespace

const Kind kTransposedConvolutionKind{"transposed_convolution",
                                      "the gradient of a convolution: widens its input",
                                      kAttributes,
                                      1,
                                      1,
                                      false,
                                      describe,
                                      true};

}  // namespace oracle
