// What does sending tokens to experts compute and touch?
//
//   y[r] = x[token of r],   a row for each token and each of the experts that its scores choose
//                                                     Shazeer et al., arXiv 1701.06538
//
// Inputs: tokens, and their scores, one for each expert. Rows lie along the sequence, those of one
// expert together (graph/expert_rows.h). Dropless there are per_token of each token, an even share
// of them for each expert; with a capacity an expert has ceil(factor · tokens · per_token /
// experts) of a sample. A token goes to its best experts that have room (Fedus et al., arXiv
// 2101.03961, appendix B), and a row that no token wants is zero. Each sample is routed alone, so
// that no cut of samples, experts or features changes who goes where.
//
// Forward copies, and keeps each row's token in 4 bytes; backward data adds the rows of a token up.
// Scores get no gradient from here.
//
// Worked: 4096 tokens to 8 of 128 experts: 32,768 rows       tests/graph/kinds/experts_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/expert_rows.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"per_token", "experts that each token goes to"},
    {"capacity_percent", "rows of an expert in percent of its even share; as many as are sent"},
};

constexpr double kTokenBytes = 4;

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  const std::int64_t per_token = attributes.integer("per_token", 1);
  const Axis along = axis_of_rows(layer.input);
  const std::int64_t percent = attributes.integer("capacity_percent", 1, 100);
  const std::int64_t experts = inputs[1].channels(), tokens = layer.input.positions();
  if (tokens != layer.input[along] || inputs[1].positions() != tokens) {
    throw InputError("",
                     "its inputs are " + to_text(layer.input) + " and " + to_text(inputs[1]) +
                         "; a token each and its scores are wanted",
                     "name the tokens first, then the scores of a dense layer on them");
  }
  if (per_token > experts) {
    throw InputError(
        "", std::to_string(per_token) + " experts for each token, of " + std::to_string(experts),
        "lower \"per_token\"");
  }
  std::int64_t rows = bounded_product({tokens, per_token}, "its rows");
  if (attributes.find("capacity_percent") != nullptr) {
    const std::int64_t share = bounded_product({rows, percent}, "its rows");
    rows = (share + 100 * experts - 1) / (100 * experts) * experts;
  }
  layer.output = layer.input;
  layer.output[along] = rows;
  layer.per_token = per_token;
  layer.has_capacity = attributes.find("capacity_percent") != nullptr;
  layer.routed = Routed::dispatch;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.work = {{{0, 1, 1, 0}, {1, 1, 1, 0}, {}}};
  layer.mask_bytes_per_output = kTokenBytes / static_cast<double>(layer.output.channels());
}

}  // namespace

const Kind kDispatchKind{
    "dispatch", "a row of each token for each of its experts", kAttributes, 2, 2, false, describe};

}  // namespace oracle
