// What does a dense (fully connected) layer compute and touch?
//
//   y[f] = b[f] + Σ_c w[f, c] · x[c]
//
// A matrix product: C multiply-adds per output element in each pass; touches and bias as weighted.h
// has them. The input must be flat: a network flattens or pools its positions away first.
// With no position left there is nothing to cut spatially, so its reach is whole; over a sequence
// it applies at every position.
//
// Worked: 25088 → 4096 (VGG's fc6): 102,764,544 parameters, 102.8 M multiply-adds
//                                                                  tests/graph/kinds/dense_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/kinds/weighted.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"features", "output features"},
    {"bias", "whether a bias is added; true"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t features = attributes.integer("features", 1);
  const bool sequence = layer.input[Axis::sequence] > 1;
  if (layer.input.positions() != layer.input[Axis::sequence]) {
    throw InputError("", "its input is " + to_text(layer.input) + " and must be flat",
                     "put a \"flatten\" or an \"adaptive_pool\" to 1 before it");
  }
  layer.output = layer.input;
  layer.output[Axis::channel] = features;
  layer.reduction = layer.input.channels();
  layer.mixing = Mixing::contraction;
  layer.reach = sequence ? Reach::pointwise : Reach::whole;
  describe_weighted(layer, {features, layer.reduction, layer.reduction}, attributes);
}

}  // namespace

const Kind kDenseKind{"dense", "matrix product with every input feature", kAttributes, 1, 1, false,
                      describe};

}  // namespace oracle
