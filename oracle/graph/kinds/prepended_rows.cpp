// What does putting trained rows before a sequence (class tokens, registers) compute and touch?
//
//   y[p] = w[p] for p < entries,   x[p − entries] after them
//                                        Dosovitskiy et al., arXiv 2010.11929, section 3.1
//
// Forward reads x and the rows and writes y. Backward data reads the rest of dy and writes dx;
// backward weights adds dy of the first positions, of all samples, to the rows. Each feature has
// its own part of the rows. A shard of positions is not one of the input, so these are not cut.
// Positions may lie along the width, too.
//
// Worked: 1 row before 196 tokens of 768: 197 tokens, 768 parameters
//                                                          tests/graph/kinds/transformer_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"entries", "rows that are put before the first position"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t entries = attributes.integer("entries", 1);
  const Axis along = layer.input[Axis::width] > 1 ? Axis::width : Axis::sequence;
  const std::int64_t tokens = layer.input[along], channels = layer.input.channels();
  if (layer.input.positions() != tokens) {
    throw InputError("", "its input is " + to_text(layer.input) + " and must be a sequence",
                     "put a \"reshape\" to \"sequence\" before it");
  }
  layer.output = layer.input;
  layer.output[along] = tokens + entries;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::whole;
  layer.weights = {{"weight", bounded_product({entries, channels}, "the rows"), channels}};
  const double rows = static_cast<double>(entries) / static_cast<double>(tokens + entries);
  layer.work = {{{0, 1, 1, 1}, {0, 1, 1 - rows, 0}, {rows, 0, rows, 1}}};
}

}  // namespace

const Kind kPrependedRowsKind{
    "prepended_rows", "trained rows before the first position", kAttributes, 1, 1, false, describe};

}  // namespace oracle
