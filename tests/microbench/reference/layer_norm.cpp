// y = γ·(x − μ)/√(σ² + ε) + β over the channels of each position, ε = 1e-5.

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

constexpr double kEpsilon = 1e-5;

struct Position {
  double mean = 0;
  double deviation = 0;
};

Position position_of(const Values& x, std::int64_t n, std::int64_t p) {
  const std::int64_t channels = x.extents.channels;
  Position position;
  double squares = 0;
  for (std::int64_t c = 0; c < channels; ++c) position.mean += x.at(n, c, p);
  position.mean /= static_cast<double>(channels);
  for (std::int64_t c = 0; c < channels; ++c) squares += std::pow(x.at(n, c, p) - position.mean, 2);
  position.deviation = std::sqrt(squares / static_cast<double>(channels) + kEpsilon);
  return position;
}

}  // namespace

Values layer_norm_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const Position position = position_of(x, n, p);
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        const auto i = static_cast<std::size_t>(c);
        y.at(n, c, p) = trial.weights[0][i] * (x.at(n, c, p) - position.mean) / position.deviation +
                        trial.weights[1][i];
      }
    }
  }
  return y;
}

Gradients layer_norm_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  const auto count = static_cast<double>(x.extents.channels);
  Gradients gradients = zero_gradients(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const Position position = position_of(x, n, p);
      double sum = 0;
      double product = 0;
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const double normalized = (x.at(n, c, p) - position.mean) / position.deviation;
        sum += trial.weights[0][i] * dy.at(n, c, p);
        product += trial.weights[0][i] * dy.at(n, c, p) * normalized;
        gradients.weights[0][i] += dy.at(n, c, p) * normalized;
        gradients.weights[1][i] += dy.at(n, c, p);
      }
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        const double normalized = (x.at(n, c, p) - position.mean) / position.deviation;
        const double gradient = trial.weights[0][static_cast<std::size_t>(c)] * dy.at(n, c, p);
        gradients.inputs[0].at(n, c, p) =
            (gradient - sum / count - normalized * product / count) / position.deviation;
      }
    }
  }
  return gradients;
}

}  // namespace oracle::reference
