// A part of a tensor; zeros behind it where nothing was taken.

#include <functional>

#include "tests/microbench/reference/each_value.h"
#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// Calls visit(output, input) by index.
void for_each_taken(const Trial& trial,
                    const std::function<void(std::size_t, std::size_t)>& visit) {
  const auto& begin = trial.layer.layer->begin;
  const auto first = [&](Axis axis) { return begin[static_cast<std::size_t>(axis)]; };
  for_each_value(trial.layer.output, [&](auto n, auto c, auto at, std::size_t output) {
    visit(output, index_of(trial.layer.inputs[0], n, first(Axis::channel) + c,
                           {first(Axis::depth) + at[0], first(Axis::height) + at[1],
                            first(Axis::width) + at[2]}));
  });
}

}  // namespace

Values slice_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_taken(trial,
                 [&](std::size_t out, std::size_t in) { y.of[out] = trial.inputs[0].of[in]; });
  return y;
}

Gradients slice_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for_each_taken(trial, [&](std::size_t out, std::size_t in) {
    gradients.inputs[0].of[in] = trial.output_gradient.of[out];
  });
  return gradients;
}

}  // namespace oracle::reference
