// y[f, p] = b[f] + Σ_c Σ_k w[f, c, k]·x[c, p·stride + k·dilation − pad], by group; a transposed one
// has x and y exchanged and its weight as C, F/groups, window. Dense: a window of one.

#include "tests/microbench/reference/kinds.h"
#include "tests/microbench/reference/windows.h"

namespace oracle::reference {
namespace {

/// Calls visit(n, c, input position, f, output position, index of the weight) for every product.
template <class Visit>
void products(const Trial& trial, Visit visit) {
  const LocalLayer& layer = trial.layer;
  const bool transposed = layer.layer->transposed;
  const Extents& x = layer.inputs[0];
  const Extents& y = layer.output;
  const std::int64_t channels = x.channels / layer.groups;
  const std::int64_t filters = y.channels / layer.groups;
  const std::int64_t volume = layer.window.volume();
  for_each_product(layer.window, transposed ? y : x, transposed ? x : y,
                   [&](std::int64_t step, std::int64_t over, std::int64_t element) {
                     for (std::int64_t n = 0; n < x.samples; ++n) {
                       for (std::int64_t f = 0; f < y.channels; ++f) {
                         for (std::int64_t c = 0; c < channels; ++c) {
                           const std::int64_t channel = f / filters * channels + c;
                           const std::int64_t weight =
                               transposed ? channel * filters + f % filters : f * channels + c;
                           visit(n, channel, transposed ? step : over, f, transposed ? over : step,
                                 static_cast<std::size_t>(weight * volume + element));
                         }
                       }
                     }
                   });
}

}  // namespace

Values convolution_forward(const Trial& trial) {
  Values y(trial.layer.output);
  if (trial.weights.size() > 1) {
    for (std::int64_t n = 0; n < y.extents.samples; ++n) {
      for (std::int64_t f = 0; f < y.extents.channels; ++f) {
        for (std::int64_t p = 0; p < y.positions(); ++p) {
          y.at(n, f, p) = trial.weights[1][static_cast<std::size_t>(f)];
        }
      }
    }
  }
  products(trial, [&](auto n, auto c, auto in, auto f, auto out, auto w) {
    y.at(n, f, out) += trial.weights[0][w] * trial.inputs[0].at(n, c, in);
  });
  return y;
}

Gradients convolution_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  const Values& dy = trial.output_gradient;
  products(trial, [&](auto n, auto c, auto in, auto f, auto out, auto w) {
    gradients.inputs[0].at(n, c, in) += trial.weights[0][w] * dy.at(n, f, out);
    gradients.weights[0][w] += trial.inputs[0].at(n, c, in) * dy.at(n, f, out);
  });
  if (trial.weights.size() < 2) return gradients;
  for (std::int64_t n = 0; n < dy.extents.samples; ++n) {
    for (std::int64_t f = 0; f < dy.extents.channels; ++f) {
      for (std::int64_t p = 0; p < dy.positions(); ++p) {
        gradients.weights[1][static_cast<std::size_t>(f)] += dy.at(n, f, p);
      }
    }
  }
  return gradients;
}

}  // namespace oracle::reference
