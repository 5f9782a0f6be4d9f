// Each value a sum over all of its input by the shares that the middles of positions say.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "tests/microbench/reference/each_value.h"
#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// Calls visit(output, its share, input) by index.
void for_each_share(const Trial& trial,
                    const std::function<void(std::size_t, double, std::size_t)>& visit) {
  const LocalLayer& local = trial.layer;
  const Extents& in = local.inputs[0];
  const std::array in_extents = {in.depth, in.height, in.width};
  const std::array out_extents = {local.output.depth, local.output.height, local.output.width};
  const bool slides = local.layer->reach == Reach::windowed;
  const bool linear = local.layer->variant == "linear";
  const auto share = [&](std::size_t axis, std::int64_t o, std::int64_t i) -> double {
    const auto s = static_cast<double>(in_extents[axis]) / static_cast<double>(out_extents[axis]);
    const double at = (static_cast<double>(o) + 0.5) * s - 0.5;
    if (slides) {
      const std::int64_t from = o + local.window.pad_before[axis];
      return from >= 0 && from / local.window.kernel[axis] == i ? 1 : 0;
    }
    const auto last = static_cast<double>(in_extents[axis] - 1);
    if (!linear) return std::clamp(std::round(at), 0.0, last) == static_cast<double>(i) ? 1 : 0;
    return std::max(0.0, 1 - std::abs(std::clamp(at, 0.0, last) - static_cast<double>(i)));
  };
  for_each_value(local.output, [&](auto n, auto c, auto o, std::size_t output) {
    for (std::int64_t d = 0; d < in.depth; ++d) {
      for (std::int64_t h = 0; h < in.height; ++h) {
        for (std::int64_t w = 0; w < in.width; ++w) {
          const double of = share(0, o[0], d) * share(1, o[1], h) * share(2, o[2], w);
          if (of != 0) visit(output, of, index_of(in, n, c, {d, h, w}));
        }
      }
    }
  });
}

}  // namespace

Values resize_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_share(trial, [&](std::size_t out, double share, std::size_t in) {
    y.of[out] += share * trial.inputs[0].of[in];
  });
  return y;
}

Gradients resize_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for_each_share(trial, [&](std::size_t out, double share, std::size_t in) {
    gradients.inputs[0].of[in] += share * trial.output_gradient.of[out];
  });
  return gradients;
}

}  // namespace oracle::reference
