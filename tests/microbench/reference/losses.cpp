// L = −log(exp x[t] / Σ_c exp x[c]), summed over a sample's positions; L = 1/n·Σ (x − t)².

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

double softmax(const Values& x, std::int64_t n, std::int64_t c, std::int64_t p) {
  double sum = 0;
  for (std::int64_t other = 0; other < x.extents.channels; ++other) {
    sum += std::exp(x.at(n, other, p) - x.at(n, c, p));
  }
  return 1 / sum;
}

}  // namespace

Values softmax_loss_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(trial.layer.output);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const auto target = static_cast<std::int64_t>(trial.inputs[1].at(n, 0, p));
      y.at(n, 0, 0) -= std::log(softmax(x, n, target, p));
    }
  }
  return y;
}

Gradients softmax_loss_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Gradients gradients = zero_gradients(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const auto target = static_cast<std::int64_t>(trial.inputs[1].at(n, 0, p));
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        gradients.inputs[0].at(n, c, p) =
            trial.gradient_scale * (softmax(x, n, c, p) - (c == target ? 1 : 0));
      }
    }
  }
  return gradients;
}

Values mean_squared_loss_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(trial.layer.output);
  const auto count = static_cast<double>(trial.layer.layer->input.elements());
  const std::size_t sample = x.of.size() / static_cast<std::size_t>(x.extents.samples);
  for (std::size_t i = 0; i < x.of.size(); ++i) {
    y.of[i / sample] += std::pow(x.of[i] - trial.inputs[1].of[i], 2) / count;
  }
  return y;
}

Gradients mean_squared_loss_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Gradients gradients = zero_gradients(trial);
  const auto count = static_cast<double>(trial.layer.layer->input.elements());
  for (std::size_t i = 0; i < x.of.size(); ++i) {
    gradients.inputs[0].of[i] =
        trial.gradient_scale * 2 / count * (x.of[i] - trial.inputs[1].of[i]);
  }
  return gradients;
}

}  // namespace oracle::reference
