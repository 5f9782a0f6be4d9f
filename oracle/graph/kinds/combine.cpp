// What does joining what experts made of a token compute and touch?
//
//   y[t] = Σ_r score[t, expert of r] · x[r],   over the rows of token t
//
// Inputs: rows as dispatch.cpp lays them, and the scores. Forward reads the rows and writes the
// tokens, 2 operations per value of a row. Backward reads dy and the rows and writes those of their
// gradient and of the scores', 4 operations. Rows are kept.
//
// Worked: 32,768 rows of 2048 to 4096 tokens                  tests/graph/kinds/experts_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape> inputs) {
  const std::int64_t tokens = inputs[1][Axis::sequence];
  if (inputs[1].positions() != tokens || layer.input.positions() != layer.input[Axis::sequence]) {
    throw InputError("",
                     "its inputs are " + to_text(layer.input) + " and " + to_text(inputs[1]) +
                         "; rows and the tokens' scores are wanted",
                     "name the rows first, then the scores that \"dispatch\" read");
  }
  layer.output = layer.input;
  layer.output[Axis::sequence] = tokens;
  layer.routed = Routed::combine;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  const double rows = static_cast<double>(layer.input.positions()) / static_cast<double>(tokens);
  layer.work = {{{2 * rows, 1, 1, 0}, {4 * rows, 2, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kCombineKind{.name = "combine",
                        .text = "weighted sum of what experts made of a token",
                        .attributes = {},
                        .least_inputs = 2,
                        .most_inputs = 2,
                        .describe = describe,
                        .priced_only = true};

}  // namespace oracle
