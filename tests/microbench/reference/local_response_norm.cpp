// y[c] = x[c]·s[c]^−β with s[c] = k + α/n·Σ x[c']² over the n channels around c; k = 1, α = 1e-4,
// β = 0.75 (PyTorch's).

#include <algorithm>
#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

constexpr double kAlpha = 1e-4;
constexpr double kBeta = 0.75;

std::int64_t half(const Trial& trial) { return trial.layer.layer->summed_channels / 2; }

double share(const Trial& trial) {
  return kAlpha / static_cast<double>(trial.layer.layer->summed_channels);
}

double scale(const Trial& trial, std::int64_t n, std::int64_t c, std::int64_t p) {
  const Values& x = trial.inputs[0];
  const std::int64_t last = std::min(x.extents.channels - 1, c + half(trial));
  double sum = 1;
  for (std::int64_t other = std::max<std::int64_t>(0, c - half(trial)); other <= last; ++other) {
    sum += share(trial) * std::pow(x.at(n, other, p), 2);
  }
  return sum;
}

}  // namespace

Values local_response_norm_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        y.at(n, c, p) = x.at(n, c, p) * std::pow(scale(trial, n, c, p), -kBeta);
      }
    }
  }
  return y;
}

Gradients local_response_norm_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  Values& dx = gradients.inputs[0];
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        const double s = scale(trial, n, c, p);
        dx.at(n, c, p) += dy.at(n, c, p) * std::pow(s, -kBeta);
        const double slope = dy.at(n, c, p) * x.at(n, c, p) * -kBeta * std::pow(s, -kBeta - 1);
        const std::int64_t last = std::min(x.extents.channels - 1, c + half(trial));
        for (auto o = std::max<std::int64_t>(0, c - half(trial)); o <= last; ++o) {
          dx.at(n, o, p) += slope * share(trial) * 2 * x.at(n, o, p);
        }
      }
    }
  }
  return gradients;
}

}  // namespace oracle::reference
