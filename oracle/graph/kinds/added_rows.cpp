// What does adding a row of a trained table at each position (learned positions) compute and touch?
//
//   y[p] = x[p] + w[p]   or, of segments,   x[p] + w[segment of p]
//
// Forward reads x and the rows and writes y, which may overwrite x. Backward data hands dy on as it
// is; backward weights adds dy to the rows. A table may have more rows than there are positions,
// and all of them are trained. Of segments (token types) a few rows serve all positions.
//
// Worked: 1024 rows of 768: 786,432 parameters, whatever the text's length
//                                                          tests/graph/kinds/transformer_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"entries", "rows of the table"},
    {"by", "position or segment; position"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t entries = attributes.integer("entries", 1);
  const bool segments = attributes.choice("by", {"position", "segment"}) == 1;
  if (!segments && entries < layer.input.positions()) {
    throw InputError("",
                     "it has " + std::to_string(entries) + " rows and " +
                         std::to_string(layer.input.positions()) + " positions to add them to",
                     "raise \"entries\", or shorten the sequence");
  }
  const std::int64_t channels = layer.input.channels();
  layer.variant = segments ? "segment" : "position";
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.weights = {{"weight", bounded_product({entries, channels}, "the table"), channels}};
  const double rows_read = segments ? 0 : 1;
  layer.work = {{{1, 1 + rows_read, 1, 0}, {}, {1, 0, 1, 1}}};
  layer.in_place = true;
}

}  // namespace

const Kind kAddedRowsKind{
    "added_rows", "sum with a row of a trained table at each position", kAttributes, 1, 1, false,
    describe};

}  // namespace oracle
