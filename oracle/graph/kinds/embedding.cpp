// What does looking up rows of a trained table compute and touch?
//
//   y[p] = w[x[p]],   x a number from 0 to entries − 1 at each position
//
// Forward reads the numbers and a row for each, and writes the rows. The numbers have no gradient.
// Backward weights adds dy to the rows that were read: reads dy and writes the gradient of the
// table, which a dense optimizer wants whole.
//
// Worked: 30,522 entries of 768 features: 23,440,896 parameters
// tests/graph/kinds/embedding_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"entries", "rows of the table"},
    {"features", "output features, the length of a row"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t entries = attributes.integer("entries", 1);
  const std::int64_t features = attributes.integer("features", 1);
  if (layer.input.channels() != 1) {
    throw InputError("",
                     "its input is " + to_text(layer.input) +
                         " and must be one number at each "
                         "position",
                     "use it on an input of 1 channel");
  }
  layer.output = layer.input;
  layer.output[Axis::channel] = features;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.weights = {{"weight", bounded_product({entries, features}, "the table"), entries}};
  layer.work = {{{0, 1, 2, 0}, {}, {1, 1, 1, 1}}};
  layer.keeps_input = true;
  layer.looks_up = true;
}

}  // namespace

const Kind kEmbeddingKind{"embedding", "rows of a trained table", kAttributes, 1, 1, false,
                          describe};

}  // namespace oracle
