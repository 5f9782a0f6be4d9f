// y = x + w or y = x·w, w repeated along the positions of a channel, or along a sample.

#include "tests/microbench/reference/each_value.h"
#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// The trained element that goes with a value of the piece.
std::size_t trained_place(const Trial& trial, std::int64_t c, const Place& at) {
  const Layer& layer = *trial.layer.layer;
  const Extents& place = trial.layer.place;
  const Extents& whole = trial.layer.whole;
  const std::int64_t elements = layer.weights[0].elements, channels = layer.input.channels();
  const std::int64_t position =
      ((place.depth + at[0]) * whole.height + place.height + at[1]) * whole.width + place.width +
      at[2];
  if (elements % channels != 0) {
    const std::int64_t positions = layer.input.positions();
    return static_cast<std::size_t>(((place.channels + c) * positions + position) % elements);
  }
  const std::int64_t each = elements / channels;
  return static_cast<std::size_t>(c * each + position % each);
}

}  // namespace

Values affine_forward(const Trial& trial) {
  const bool scales = trial.layer.layer->variant == "scale";
  Values y(trial.layer.output);
  for_each_value(y.extents, [&](auto, auto c, auto at, std::size_t i) {
    const double w = trial.weights[0][trained_place(trial, c, at)];
    y.of[i] = scales ? trial.inputs[0].of[i] * w : trial.inputs[0].of[i] + w;
  });
  return y;
}

Gradients affine_backward(const Trial& trial) {
  const bool scales = trial.layer.layer->variant == "scale";
  Gradients gradients = zero_gradients(trial);
  for_each_value(trial.layer.output, [&](auto, auto c, auto at, std::size_t i) {
    const std::size_t place = trained_place(trial, c, at);
    const double dy = trial.output_gradient.of[i];
    gradients.inputs[0].of[i] = scales ? dy * trial.weights[0][place] : dy;
    gradients.weights[0][place] += scales ? dy * trial.inputs[0].of[i] : dy;
  });
  return gradients;
}

}  // namespace oracle::reference
