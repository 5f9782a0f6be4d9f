// What does a recurrent layer compute and touch?
//
//   y[t] = f(W·x[t] + R·y[t−1] + b),  g gates of h features each, over the tokens t (the width)
//
// LSTM (Hochreiter & Schmidhuber, Neural Computation 9(8), 1997) has 4 gates, GRU (Cho et al.,
// EMNLP 2014) 3, a plain RNN 1. Weights are W (g·h x C), R (g·h x h) and two biases of g·h, for
// each direction, as ONNX and cuDNN keep them. Each output feature of a token amounts to g·(C + h)
// multiply-adds. A token waits for the one before it: the products are as many as the tokens, and
// each has the samples for its rows (Layer::steps).
//
// Backward data is as much again, and backward weights too. What a step computed is kept for them:
// the gates, of an LSTM its cell as well, of a GRU the sum that is reset. Both hold the gradients
// of those sums while they run, and of the states that a token hands to the next.
//
// Worked: LSTM 24 → 32 over 20 tokens: 7,424 parameters, 143,360 multiply-adds
//                                                          tests/graph/kinds/recurrent_test.cpp

#include <array>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

/// Values per output feature and token.
struct Cell {
  std::string_view name;
  std::int64_t gates;
  double kept;
  double sums;
  double states;  ///< that a token hands to the next
};

constexpr std::array kCells = {Cell{"lstm", 4, 5, 4, 2}, Cell{"gru", 3, 4, 4, 1},
                               Cell{"rnn", 1, 1, 1, 1}};

constexpr std::size_t kMostStates = 3;

constexpr AttributeDoc kAttributes[] = {
    {"cell", "lstm, gru or rnn; lstm"},
    {"features", "hidden features of a direction"},
    {"directions", "1, or 2 for forwards and backwards; 1"},
    {"bias", "whether biases are added; true"},
    {"peepholes", "whether the gates of an LSTM see its cell, a weight for each of three; false"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  std::vector<std::string> names;
  for (const Cell& cell : kCells) names.emplace_back(cell.name);
  const Cell& cell = kCells[attributes.choice("cell", names)];
  const std::int64_t hidden = attributes.integer("features", 1);
  const std::int64_t directions = attributes.integer("directions", 1, 1);
  if (directions > 2) throw InputError("", "\"directions\" must be 1 or 2");
  const std::int64_t channels = layer.input.channels();
  layer.variant = cell.name;
  layer.output = layer.input;
  layer.output[Axis::channel] = bounded_product({hidden, directions}, "its output");
  layer.steps = layer.input.positions();
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  layer.reduction = bounded_product({cell.gates, channels + hidden}, "its products");
  layer.weights = {
      {"weight", bounded_product({directions, cell.gates, hidden, channels}, "its weights")},
      {"recurrence", bounded_product({directions, cell.gates, hidden, hidden}, "its weights")}};
  if (attributes.flag("bias", true)) {
    layer.weights.push_back(
        {"bias", bounded_product({directions, 2, cell.gates, hidden}, "its weights")});
  }
  if (attributes.flag("peepholes", false)) {
    if (cell.name != "lstm") throw InputError("", "\"peepholes\" are an LSTM's, and it is none");
    constexpr std::int64_t kSeeing = 3;
    layer.weights.push_back(
        {"peepholes", bounded_product({directions, kSeeing, hidden}, "its weights")});
  }
  const auto gates = static_cast<double>(cell.gates);
  // A sum, a function and a product for each gate.
  layer.work = {{{3 * gates, 1, 1 + gates, 1}, {4 * gates, 1, 1 + gates, 1}, {gates, 1, gates, 1}}};
  layer.keeps_input = true;
  layer.keeps_output = true;
  constexpr double kElementBytes = 4;
  layer.gradient_reads_weights = true;
  layer.mask_bytes_per_output = kElementBytes * cell.kept;
  // One direction after the other.
  const double per_direction = kElementBytes / static_cast<double>(directions);
  const double per_token = per_direction / static_cast<double>(layer.steps);
  const double backward = per_direction * cell.sums + per_token * cell.states;
  layer.scratch_bytes_per_output = {per_token, backward, backward};
}

}  // namespace

const Kind kRecurrentKind{.name = "recurrent",
                          .text = "LSTM, GRU or plain recurrent layer over tokens",
                          .attributes = kAttributes,
                          .least_inputs = 1,
                          .most_inputs = kMostStates,
                          .describe = describe};

}  // namespace oracle
