// y[p, g, n] = Σ_k a[p, g, k]·b[g, k, n] for each sample.

#include <functional>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// The second factor of sample n, group g: what feature f of the group takes of k.
double& factor(Values& b, const Trial& trial, std::int64_t n, std::int64_t g, std::int64_t k,
               std::int64_t f) {
  const Layer& layer = *trial.layer.layer;
  const std::int64_t features = layer.output.channels() / layer.groups;
  const std::int64_t summed = trial.layer.inputs[0].channels / trial.layer.groups;
  const std::int64_t place =
      layer.turned ? (g * features + f) * summed + k : (g * summed + k) * features + f;
  return b.of[static_cast<std::size_t>(n * b.extents.elements() / b.extents.samples + place)];
}

/// Calls visit(n, output channel, p, group, feature of the group).
void for_each_output(const Trial& trial,
                     const std::function<void(std::int64_t, std::int64_t, std::int64_t,
                                              std::int64_t, std::int64_t)>& visit) {
  const Layer& layer = *trial.layer.layer;
  const Values& a = trial.inputs[0];
  const std::int64_t features = layer.output.channels() / layer.groups;
  const std::int64_t all = features * trial.layer.groups;
  for (std::int64_t n = 0; n < a.extents.samples; ++n) {
    for (std::int64_t c = 0; c < trial.layer.output.channels; ++c) {
      const std::int64_t feature = (trial.layer.place.channels + c) % all;
      for (std::int64_t p = 0; p < a.positions(); ++p) {
        visit(n, c, p, feature / features, feature % features);
      }
    }
  }
}

}  // namespace

Values matmul_forward(const Trial& trial) {
  const Values& a = trial.inputs[0];
  Values b = trial.inputs[1];
  const std::int64_t summed = a.extents.channels / trial.layer.groups;
  Values y(trial.layer.output);
  for_each_output(trial, [&](auto n, auto c, auto p, auto g, auto f) {
    for (std::int64_t k = 0; k < summed; ++k) {
      y.at(n, c, p) += a.at(n, g * summed + k, p) * factor(b, trial, n, g, k, f);
    }
  });
  return y;
}

Gradients matmul_backward(const Trial& trial) {
  const Values& a = trial.inputs[0];
  Values b = trial.inputs[1];
  const std::int64_t summed = a.extents.channels / trial.layer.groups;
  Gradients gradients = zero_gradients(trial);
  for_each_output(trial, [&](auto n, auto c, auto p, auto g, auto f) {
    const double dy = trial.output_gradient.at(n, c, p);
    for (std::int64_t k = 0; k < summed; ++k) {
      gradients.inputs[0].at(n, g * summed + k, p) += dy * factor(b, trial, n, g, k, f);
      factor(gradients.inputs[1], trial, n, g, k, f) += dy * a.at(n, g * summed + k, p);
    }
  });
  return gradients;
}

}  // namespace oracle::reference
