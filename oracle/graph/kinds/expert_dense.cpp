// What do the experts' matrices compute and touch?
//
//   y[r, f] = Σ_c w[e, f, c] · x[r, c],   e the expert of row r
//
// As a dense layer, with a matrix for each expert: C multiply-adds per output element in each pass,
// whichever expert a row went to; all matrices are read, however few rows they have. Which rows are
// an expert's: graph/expert_rows.h.
//
// Worked: 8 experts of 4096 → 14336: 469,762,048 parameters   tests/graph/kinds/experts_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/expert_rows.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"experts", "matrices"},
    {"features", "output features of each"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t features = attributes.integer("features", 1);
  layer.experts = attributes.integer("experts", 1);
  const std::int64_t rows = layer.input[axis_of_rows(layer.input)];
  if (layer.input.positions() != rows) {
    throw InputError("", "its input is " + to_text(layer.input) + " and must be rows of tokens",
                     "put a \"dispatch\" before it");
  }
  layer.reduction = layer.input.channels();
  layer.output = layer.input;
  layer.output[Axis::channel] = features;
  layer.routed = Routed::expert;
  layer.mixing = Mixing::contraction;
  layer.reach = Reach::pointwise;
  layer.weights = {{"weight",
                    bounded_product({layer.experts, features, layer.reduction}, "the matrices"),
                    features, layer.reduction}};
  layer.work = {{{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kExpertDenseKind{
    "expert_dense", "matrix product of each row with its expert's", kAttributes, 1, 1, false,
    describe};

}  // namespace oracle
