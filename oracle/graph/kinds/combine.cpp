// What does joining what experts made of a token compute and touch?
//
//   y[t] = Σ_r score[t, expert of r] · x[r],   over the rows of token t
//
// Inputs: rows as dispatch.cpp lays them, and the scores, by which it finds the token of each row
// again. Forward reads the rows and writes the tokens, 2 operations per value of a row. Backward
// reads dy and the rows and writes those of their gradient and of the scores', 4 operations. Rows
// and scores are kept. Every feature is weighted by all scores of a token, so between features in
// parts these are replicated and their gradients partial sums.
//
// Worked: 32,768 rows of 2048 to 4096 tokens                  tests/graph/kinds/experts_test.cpp

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/expert_rows.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"per_token", "experts that each token went to; as many as it has rows, of whole ones"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  const Axis along = axis_of_rows(layer.input);
  const std::int64_t tokens = inputs[1][along], all = layer.input.positions();
  if (inputs[1].positions() != tokens || all != layer.input[along]) {
    throw InputError("",
                     "its inputs are " + to_text(layer.input) + " and " + to_text(inputs[1]) +
                         "; rows and the tokens' scores are wanted",
                     "name the rows first, then the scores that \"dispatch\" read");
  }
  layer.output = layer.input;
  layer.output[along] = tokens;
  const std::int64_t even = std::clamp<std::int64_t>(all / tokens, 1, inputs[1].channels());
  layer.per_token = attributes.integer("per_token", 1, even);
  layer.routed = Routed::combine;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  const double rows = static_cast<double>(all) / static_cast<double>(tokens);
  layer.work = {{{2 * rows, 1, 1, 0}, {4 * rows, 2, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kCombineKind{
    "combine", "weighted sum of what experts made of a token", kAttributes, 2, 2, false, describe};

}  // namespace oracle
