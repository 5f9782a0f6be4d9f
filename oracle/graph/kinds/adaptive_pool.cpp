// Which window does a pool use when only its output extents are given?
//
//   stride = floor(in/out),  kernel = in − (out − 1)·stride
//
// the regular window that yields `out` positions. Where out divides in it is PyTorch's AdaptivePool
// exactly; elsewhere PyTorch's windows vary from position to position ([⌊i·in/out⌋,
// ⌈(i+1)·in/out⌉)) and the regular one contains each of them. One output position is a pool over
// everything (Reach::global for the mean); as many as the input has is the identity, which costs
// nothing and is a view.
//
// Worked: 7x7 → 1: kernel 7; 8x8 → 7: kernel 2, stride 1; 6x6 → 6: identity
//                                                                   tests/graph/kinds/pool_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/pooling.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/kinds/window.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"mode", "max or average; max"},
    {"output", "output size: one number, or one per spatial axis; 1"},
};

Window regular_window(const Shape& input, const std::array<std::int64_t, 3>& output) {
  Window window;
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    const std::int64_t in = input[kSpatialAxes[axis]];
    const std::int64_t out = output[axis];
    if (out > in) {
      throw InputError("",
                       "the " + std::string(name_of(kSpatialAxes[axis])) + " of its input is " +
                           std::to_string(in) + ", less than the " + std::to_string(out) +
                           " it is to pool to",
                       "use a larger input, or lower \"output\"");
    }
    window.kernel[axis] = in - (out - 1) * (in / out);
    window.stride[axis] = out == 1 ? 1 : in / out;
  }
  return window;
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const Pooling pooling = read_pooling(attributes);
  const auto output = over_axes(attributes.extents("output", layer.spatial_rank, 1, 1), 1);
  layer.window = regular_window(layer.input, output);
  describe_pooling(layer, pooling);
  if (layer.window != Window{}) return;
  layer.work = {};
  layer.keeps_input = false;
  layer.keeps_output = false;
  layer.in_place = true;
}

}  // namespace

const Kind kAdaptivePoolKind{
    "adaptive_pool", "pool to a given output size", kAttributes, 1, 1, false, describe};

}  // namespace oracle
