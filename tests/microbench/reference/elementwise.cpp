// Activations, sums, products, joining and flattening: formulas of PyTorch's documentation.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Point {
  double value = 0;
  double slope = 0;
};

Point activate(std::string_view function, double x) {
  if (function == "relu") return {std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
  if (function == "relu6") return {std::clamp(x, 0.0, 6.0), x > 0 && x < 6 ? 1.0 : 0.0};
  if (function == "relu2") return {x > 0 ? x * x : 0, x > 0 ? 2 * x : 0};
  if (function == "leaky_relu") return {x > 0 ? x : 0.01 * x, x > 0 ? 1 : 0.01};
  if (function == "sigmoid") return {sigmoid(x), sigmoid(x) * (1 - sigmoid(x))};
  if (function == "tanh") return {std::tanh(x), 1 - std::pow(std::tanh(x), 2)};
  if (function == "silu") {
    return {x * sigmoid(x), sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x))};
  }
  if (function == "gelu") {
    const double share = 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    return {x * share, share + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0))};
  }
  if (function == "elu") return {x > 0 ? x : std::expm1(x), x > 0 ? 1 : std::exp(x)};
  if (function == "softplus") return {std::log1p(std::exp(x)), sigmoid(x)};
  if (function == "mish") {
    const double gate = std::tanh(std::log1p(std::exp(x)));
    return {x * gate, gate + x * (1 - gate * gate) * sigmoid(x)};
  }
  if (function == "exp") return {std::exp(x), std::exp(x)};
  if (function == "log") return {std::log(x), 1 / x};
  if (function == "sqrt") return {std::sqrt(x), 0.5 / std::sqrt(x)};
  if (function == "power") return {x * x, 2 * x};
  if (function == "linear") return {x, 1};
  if (function == "abs") return {std::abs(x), x > 0 ? 1.0 : -1.0};
  if (function == "hardsigmoid") {
    return {std::clamp(x / 6 + 0.5, 0.0, 1.0), x > -3 && x < 3 ? 1.0 / 6 : 0.0};
  }
  if (function == "hardswish") {
    if (x <= -3) return {0, 0};
    if (x >= 3) return {x, 1};
    return {x * (x + 3) / 6, (2 * x + 3) / 6};
  }
  throw std::logic_error("no reference of this activation");
}

}  // namespace

Values activation_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for (std::size_t i = 0; i < y.of.size(); ++i) {
    y.of[i] = activate(trial.layer.layer->variant, trial.inputs[0].of[i]).value;
  }
  return y;
}

Gradients activation_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for (std::size_t i = 0; i < trial.output_gradient.of.size(); ++i) {
    gradients.inputs[0].of[i] = activate(trial.layer.layer->variant, trial.inputs[0].of[i]).slope *
                                trial.output_gradient.of[i];
  }
  return gradients;
}

Values add_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for (const Values& input : trial.inputs) {
    for (std::size_t i = 0; i < y.of.size(); ++i) y.of[i] += input.of[i];
  }
  return y;
}

Gradients add_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for (Values& input : gradients.inputs) input.of = trial.output_gradient.of;
  return gradients;
}

Values multiply_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& gate = trial.inputs[1];
  Values y(trial.layer.output);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        y.at(n, c, p) = x.at(n, c, p) * gate.at(n, gate.extents.channels == 1 ? 0 : c,
                                                gate.positions() == 1 ? 0 : p);
      }
    }
  }
  return y;
}

Gradients multiply_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& gate = trial.inputs[1];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        const std::int64_t at = gate.positions() == 1 ? 0 : p;
        const std::int64_t channel = gate.extents.channels == 1 ? 0 : c;
        gradients.inputs[0].at(n, c, p) = dy.at(n, c, p) * gate.at(n, channel, at);
        gradients.inputs[1].at(n, channel, at) += dy.at(n, c, p) * x.at(n, c, p);
      }
    }
  }
  return gradients;
}

Values concat_forward(const Trial& trial) {
  Values y(trial.layer.output);
  std::int64_t begin = 0;
  for (const Values& x : trial.inputs) {
    for (std::int64_t n = 0; n < x.extents.samples; ++n) {
      for (std::int64_t c = 0; c < x.extents.channels; ++c) {
        for (std::int64_t p = 0; p < x.positions(); ++p) y.at(n, begin + c, p) = x.at(n, c, p);
      }
    }
    begin += x.extents.channels;
  }
  return y;
}

Gradients concat_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  std::int64_t begin = 0;
  for (Values& dx : gradients.inputs) {
    for (std::int64_t n = 0; n < dx.extents.samples; ++n) {
      for (std::int64_t c = 0; c < dx.extents.channels; ++c) {
        for (std::int64_t p = 0; p < dx.positions(); ++p) {
          dx.at(n, c, p) = trial.output_gradient.at(n, begin + c, p);
        }
      }
    }
    begin += dx.extents.channels;
  }
  return gradients;
}

Values flatten_forward(const Trial& trial) {
  Values y(trial.layer.output);
  y.of = trial.inputs[0].of;
  return y;
}

Gradients flatten_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  gradients.inputs[0].of = trial.output_gradient.of;
  return gradients;
}

}  // namespace oracle::reference
