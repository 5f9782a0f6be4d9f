// What does a convolution compute and touch?
//
//   y[f, p] = b[f] + Σ_c Σ_k w[f, c, k] · x[c, p·stride + k·dilation − pad]
//
// with c over the C/groups features of f's group and k over the window.
// Multiply-adds per output element: (C/groups)·K, K the kernel volume; the same in each of the
// three passes (forward y = w∗x, backward data dx = wᵀ∗dy, backward weights dw = x∗dy): Goodfellow
// et al., Deep Learning, MIT Press 2016, 9.5. Touches and bias as weighted.h has them.
//
// groups = C = features is the depthwise convolution: output feature c reads input feature c only,
// so it is channelwise and its weights are cut with the features.
//
// Worked: 3x3, 64→64 on 56×56, pad 1: 36,864 weights, 115.6 M multiply-adds
//                                                            tests/graph/kinds/convolution_test.cpp

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
    {"stride", "step of the window; 1"},
    {"pad", "zeros before and after; 0"},
    {"pad_before", "zeros before, where the sides differ"},
    {"pad_after", "zeros after, where the sides differ"},
    {"dilation", "distance between the window's elements; 1"},
    {"groups", "independent groups of features; 1"},
    {"bias", "whether a bias is added; true"},
};

void check_groups(std::int64_t channels, std::int64_t features, std::int64_t groups) {
  if (channels % groups == 0 && features % groups == 0) return;
  throw InputError("",
                   std::to_string(groups) + " groups do not divide " + std::to_string(channels) +
                       " input and " + std::to_string(features) + " output features",
                   "choose \"groups\" and \"features\" that divide evenly");
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t channels = layer.input.channels();
  const std::int64_t features = attributes.integer("features", 1);
  layer.groups = attributes.integer("groups", 1, 1);
  check_groups(channels, features, layer.groups);
  layer.window = read_window(layer, attributes, DefaultStride::one);
  layer.output = slide(layer.window, layer.input);
  layer.output[Axis::channel] = features;

  const bool depthwise = layer.groups == channels && features == channels && layer.groups > 1;
  const auto [depth, height, width] = layer.window.kernel;
  layer.reduction = bounded_product({channels / layer.groups, depth, height, width}, "one filter");
  layer.mixing = depthwise ? Mixing::channelwise : Mixing::contraction;
  layer.reach = reach_of(layer.window, layer.input, layer.output);
  describe_weighted(layer, {features, layer.reduction, channels / layer.groups}, attributes);
}

}  // namespace

const Kind kConvolutionKind{
    "convolution", "sliding sum of products", kAttributes, 1, 1, false, describe, true};

}  // namespace oracle
