// Rows of a table by whole numbers.

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {

Values embedding_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(trial.layer.output);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const auto row = static_cast<std::int64_t>(std::round(x.at(n, 0, p))) * y.extents.channels;
      for (std::int64_t c = 0; c < y.extents.channels; ++c) {
        y.at(n, c, p) = trial.weights[0][static_cast<std::size_t>(row + c)];
      }
    }
  }
  return y;
}

Gradients embedding_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t p = 0; p < x.positions(); ++p) {
      const auto row = static_cast<std::int64_t>(std::round(x.at(n, 0, p))) * dy.extents.channels;
      for (std::int64_t c = 0; c < dy.extents.channels; ++c) {
        gradients.weights[0][static_cast<std::size_t>(row + c)] += dy.at(n, c, p);
      }
    }
  }
  return gradients;
}

}  // namespace oracle::reference
