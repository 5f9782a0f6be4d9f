// y[i] = exp x[i]/Σ exp x[j] over the channels of a group at a position, or the positions of a
// channel.

#include <cmath>
#include <functional>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// Calls visit(n, first channel, channels, first position, positions) for each set of values that
/// add up to one.
void for_each_sum(const Trial& trial,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                           std::int64_t)>& visit) {
  const Values& x = trial.inputs[0];
  const std::int64_t channels = x.extents.channels;
  const bool over_positions = trial.layer.layer->mixing == Mixing::channelwise;
  const std::int64_t group = over_positions ? 1 : channels / trial.layer.groups;
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < channels; c += group) {
      if (over_positions) {
        visit(n, c, 1, 0, x.positions());
        continue;
      }
      for (std::int64_t p = 0; p < x.positions(); ++p) visit(n, c, group, p, 1);
    }
  }
}

}  // namespace

Values softmax_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  for_each_sum(trial, [&](auto n, auto c0, auto channels, auto p0, auto positions) {
    double total = 0;
    for (std::int64_t c = c0; c < c0 + channels; ++c) {
      for (std::int64_t p = p0; p < p0 + positions; ++p) total += std::exp(x.at(n, c, p));
    }
    for (std::int64_t c = c0; c < c0 + channels; ++c) {
      for (std::int64_t p = p0; p < p0 + positions; ++p) {
        y.at(n, c, p) = std::exp(x.at(n, c, p)) / total;
      }
    }
  });
  return y;
}

Gradients softmax_backward(const Trial& trial) {
  const Values y = softmax_forward(trial);
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  for_each_sum(trial, [&](auto n, auto c0, auto channels, auto p0, auto positions) {
    double total = 0;
    for (std::int64_t c = c0; c < c0 + channels; ++c) {
      for (std::int64_t p = p0; p < p0 + positions; ++p) total += y.at(n, c, p) * dy.at(n, c, p);
    }
    for (std::int64_t c = c0; c < c0 + channels; ++c) {
      for (std::int64_t p = p0; p < p0 + positions; ++p) {
        gradients.inputs[0].at(n, c, p) = y.at(n, c, p) * (dy.at(n, c, p) - total);
      }
    }
  });
  return gradients;
}

}  // namespace oracle::reference
