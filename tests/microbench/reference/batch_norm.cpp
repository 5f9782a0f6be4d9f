// y = γ·(x − μ)/√(σ² + ε) + β over samples and positions, ε = 1e-5; gradients as Ioffe & Szegedy,
// ICML 2015, section 3, derive them.

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

constexpr double kEpsilon = 1e-5;

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(const Values& x, std::int64_t channel) {
  Moments moments;
  const auto count = static_cast<double>(x.extents.samples * x.positions());
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) moments.mean += x.at(n, channel, p) / count;
  }
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      moments.variance += std::pow(x.at(n, channel, p) - moments.mean, 2) / count;
    }
  }
  return moments;
}

double weight_of(const Trial& trial, std::size_t index, std::int64_t channel) {
  const bool affine = !trial.weights.empty();
  return affine ? trial.weights[index][static_cast<std::size_t>(channel)] : (index == 0 ? 1 : 0);
}

}  // namespace

Values batch_norm_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  for (std::int64_t c = 0; c < x.extents.channels; ++c) {
    const Moments moments = moments_of(x, c);
    const double deviation = std::sqrt(moments.variance + kEpsilon);
    for (std::int64_t n = 0; n < x.extents.samples; ++n) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        y.at(n, c, p) = weight_of(trial, 0, c) * (x.at(n, c, p) - moments.mean) / deviation +
                        weight_of(trial, 1, c);
      }
    }
  }
  return y;
}

Gradients batch_norm_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  const auto count = static_cast<double>(x.extents.samples * x.positions());
  for (std::int64_t c = 0; c < x.extents.channels; ++c) {
    const Moments moments = moments_of(x, c);
    const double deviation = std::sqrt(moments.variance + kEpsilon);
    double sum = 0;
    double product = 0;
    for (std::int64_t n = 0; n < x.extents.samples; ++n) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        sum += dy.at(n, c, p);
        product += dy.at(n, c, p) * (x.at(n, c, p) - moments.mean) / deviation;
      }
    }
    for (std::int64_t n = 0; n < x.extents.samples; ++n) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        const double normalized = (x.at(n, c, p) - moments.mean) / deviation;
        gradients.inputs[0].at(n, c, p) =
            weight_of(trial, 0, c) / deviation *
            (dy.at(n, c, p) - sum / count - normalized * product / count);
      }
    }
    if (trial.weights.empty()) continue;
    gradients.weights[0][static_cast<std::size_t>(c)] = product;
    gradients.weights[1][static_cast<std::size_t>(c)] = sum;
  }
  return gradients;
}

}  // namespace oracle::reference
