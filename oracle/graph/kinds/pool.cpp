// What does a pooling layer compute and touch?
//
//   y[c, p] = max or mean of x[c, ·] over the window at p
//
// Forward reads x, writes y and does one comparison or addition per window element. Backward of the
// mean reads dy and writes dx. Backward of the maximum has to find the winner again: it reads x, y
// and dy and writes dx (cudnnPoolingBackward takes all of them), so x and y are kept. Both are
// usually kept anyway, as the output of the activation before and the input of the convolution
// after. oneDNN keeps beside them which of the window it was: a byte, or four from 256 positions
// on.
//
// The mean over all positions at once is a sum over whatever positions a rank holds
// (Reach::global); a maximum over all of them is not, and cannot be cut.
//
// Worked: 3x3, stride 2, pad 1 on 64x112x112: 64x56x56              tests/graph/kinds/pool_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/pooling.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/kinds/window.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"mode", "max or average; max"},
    {"kernel", "window size: one number, or one per spatial axis"},
    {"stride", "step of the window; the kernel"},
    {"pad", "positions before and after that do not count; 0"},
    {"pad_before", "positions before, where the sides differ"},
    {"pad_after", "positions after, where the sides differ"},
    {"dilation", "distance between the window's elements; 1"},
    {"ceil", "whether the output extent is rounded up; false"},
};

/// A window that lies wholly in the padding has no maximum.
void check_padding(const Window& window) {
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    if (window.pad_before[axis] < reach && window.pad_after[axis] < reach) continue;
    throw InputError("", "the padding is as wide as the window, so some windows would be empty",
                     "lower \"pad\"");
  }
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const Pooling pooling = read_pooling(attributes);
  layer.window = read_window(layer, attributes, DefaultStride::kernel);
  check_padding(layer.window);
  if (attributes.flag("ceil", false)) round_up(layer.window, layer.input);
  describe_pooling(layer, pooling);
}

}  // namespace

Pooling read_pooling(const Attributes& attributes) {
  return attributes.choice("mode", {"max", "average"}) == 0 ? Pooling::max : Pooling::average;
}

void describe_pooling(Layer& layer, Pooling pooling) {
  const bool max = pooling == Pooling::max;
  layer.variant = max ? "max" : "average";
  layer.output = slide(layer.window, layer.input);
  layer.mixing = Mixing::channelwise;
  layer.reach = reach_of(layer.window, layer.input, layer.output);
  const bool everything = layer.window.volume() == layer.input.positions() &&
                          layer.output.positions() == 1 && layer.input.positions() > 1;
  if (everything && !max) layer.reach = Reach::global;
  const auto per_window = static_cast<double>(layer.window.volume());
  const double kept = max ? 1 : 0;
  layer.work = {{{per_window, 1, 1, 0}, {per_window, 1 + kept, 1 + kept, 0}, {}}};
  layer.keeps_input = max;
  layer.keeps_output = max;
  if (max) layer.mask_bytes_per_output = per_window < 256 ? 1 : 4;
}

const Kind kPoolKind{"pool", "maximum or mean over a window", kAttributes, 1, 1, false, describe};

}  // namespace oracle
