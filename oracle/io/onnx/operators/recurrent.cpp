// LSTM, GRU and plain recurrent layers.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kPeepholes = 7;

struct Sequence {
  Value input;             ///< channels behind, tokens are the width
  std::size_t tokens = 0;  ///< its axis of the tokens
  std::size_t batch = 1;
};

Sequence sequence_of(Importer& importer, const Node& node) {
  Sequence sequence;
  Value input = importer.tensor(node, 0);
  if (integer_of(node, "layout", 0) != 0) std::swap(sequence.tokens, sequence.batch);
  const bool fits = input.rank() == 3 && input.axes[sequence.batch].is_samples() &&
                    !input.axes[sequence.tokens].has_samples();
  if (!fits) {
    throw InputError("", "its input is not tokens x batch x features",
                     "export the network with a batch of its own for the recurrent layer");
  }
  Axes axes = input.axes;
  axes[sequence.tokens] = axes[sequence.tokens].as(Axis::width);
  axes[2] = axes[2].as(Axis::channel);
  if (importer.spatial_rank() == 0) throw MorePositions{1};
  sequence.input = importer.meaning(node, input, axes);
  return sequence;
}

/// tokens x directions x batch x features, or without tokens; with a layout of 1 the batch is
/// first.
Axes output_axes(const Sequence& sequence, std::int64_t directions, std::int64_t hidden,
                 bool with_tokens) {
  const Dim tokens = sequence.input.axes[sequence.tokens];
  const Dim batch = sequence.input.axes[sequence.batch];
  const Dim turns(Axis::channel, directions), features(Axis::channel, hidden);
  Axes axes;
  if (sequence.batch == 0) axes.push_back(batch);
  if (with_tokens) axes.push_back(tokens);
  axes.push_back(turns);
  if (sequence.batch != 0) axes.push_back(batch);
  axes.push_back(features);
  return axes;
}

struct CellExtents {
  std::int64_t gates, directions, hidden;
};

/// Those of its weights, W [directions, gates·h, features] and R [directions, gates·h, h]. Throws
/// InputError where these, biases, peepholes and attributes are not of one layer.
CellExtents cell_extents(const Importer& importer, const Node& node, std::int64_t features) {
  const Integers& weights = importer.constant(node, 1).dims;
  const Integers& recurrence = importer.constant(node, 2).dims;
  CellExtents of{node.type == "LSTM" ? 4 : (node.type == "GRU" ? 3 : 1), 0, 0};
  bool fits = weights.size() == 3 && recurrence.size() == 3 && recurrence[2] >= 1;
  if (fits) {
    of.directions = weights[0];
    of.hidden = recurrence[2];
    const bool both = text_of(node, "direction", "forward") == "bidirectional";
    fits = of.directions == (both ? 2 : 1) &&
           weights == Integers{of.directions, of.gates * of.hidden, features} &&
           recurrence == Integers{of.directions, of.gates * of.hidden, of.hidden} &&
           integer_of(node, "hidden_size", of.hidden) == of.hidden;
  }
  const auto holds = [&](std::size_t input, std::int64_t blocks) {
    return node.input(input) == nullptr || !importer.is_constant(node, input) ||
           importer.constant(node, input).dims == Integers{of.directions, blocks * of.hidden};
  };
  if (fits && holds(3, 2 * of.gates) && holds(kPeepholes, 3)) return of;
  throw InputError("", "its weights do not fit its input, or each other",
                   "export the network again");
}

}  // namespace

void recurrent(Importer& importer, const Node& node) {
  const Sequence sequence = sequence_of(importer, node);
  const CellExtents extents = cell_extents(importer, node, sequence.input.axes[2].extent());
  const std::string cell = node.type == "LSTM" ? "lstm" : (node.type == "GRU" ? "gru" : "rnn");
  std::vector<LayerId> inputs = {sequence.input.layer};
  for (const std::size_t state : {std::size_t{5}, std::size_t{6}}) {
    if (node.input(state) == nullptr || importer.is_constant(node, state)) continue;
    inputs.push_back(importer.tensor(node, state).layer);
  }
  // The layer is made under the name of its first output; the last states are a part of it.
  Node initial = node;
  initial.inputs.resize(std::min<std::size_t>(node.inputs.size(), kPeepholes));
  importer.pass_over_constants(initial, 5);
  Node whole = node;
  whole.inputs.resize(4);
  whole.inputs.push_back(node.input(kPeepholes) == nullptr ? "" : *node.input(kPeepholes));
  if (whole.outputs.front().empty()) whole.outputs.front() = "/states of " + node.name;
  importer.add(whole, "recurrent", inputs,
               {{"cell", cell},
                {"features", extents.hidden},
                {"directions", extents.directions},
                {"bias", node.input(3) != nullptr},
                {"peepholes", node.type == "LSTM" && node.input(kPeepholes) != nullptr}},
               output_axes(sequence, extents.directions, extents.hidden, true));
  const Value states = importer.made(whole);
  for (std::size_t output = 1; output < node.outputs.size() && output < 3; ++output) {
    if (!importer.is_read(node, output)) continue;
    const Axes last = output_axes(sequence, extents.directions, extents.hidden, false);
    const std::int64_t tokens = sequence.input.axes[sequence.tokens].extent();
    Attributes attributes = written(shape_of(last), importer.spatial_rank());
    if (tokens > 1) {
      Integers begin(importer.spatial_rank(), 0);
      begin.back() = tokens - 1;
      attributes.set("begin", begin);
    }
    importer.add(node, "slice", {states.layer}, attributes, last, output);
  }
}

}  // namespace oracle::onnx
