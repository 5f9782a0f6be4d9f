// Maximum or mean over a window; elements in padding do not count. The first of equal maxima takes
// the gradient. A mean over everything divides by the whole layer's window.

#include <limits>

#include "tests/microbench/reference/kinds.h"
#include "tests/microbench/reference/windows.h"

namespace oracle::reference {
namespace {

bool is_max(const Trial& trial) { return trial.layer.layer->variant == "max"; }

bool is_global(const Trial& trial) { return trial.layer.layer->reach == Reach::global; }

/// The local window: of a mean over everything, all of the piece.
Window window_of(const Trial& trial) {
  if (!is_global(trial)) return trial.layer.window;
  const Extents& x = trial.layer.inputs[0];
  Window window;
  window.kernel = {x.depth, x.height, x.width};
  return window;
}

std::vector<double> divisors(const Trial& trial) {
  std::vector<double> counts(static_cast<std::size_t>(trial.output_gradient.positions()));
  for_each_product(window_of(trial), trial.layer.inputs[0], trial.layer.output,
                   [&](std::int64_t out, std::int64_t, std::int64_t) {
                     counts[static_cast<std::size_t>(out)] += 1;
                   });
  if (is_global(trial)) {
    counts.assign(counts.size(), static_cast<double>(trial.layer.layer->window.volume()));
  }
  return counts;
}

}  // namespace

Values pool_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(trial.layer.output);
  if (is_max(trial)) y.of.assign(y.of.size(), -std::numeric_limits<double>::infinity());
  const std::vector<double> counts = divisors(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for_each_product(window_of(trial), x.extents, y.extents,
                       [&](std::int64_t out, std::int64_t in, std::int64_t) {
                         double& result = y.at(n, c, out);
                         if (is_max(trial)) {
                           result = std::max(result, x.at(n, c, in));
                         } else {
                           result += x.at(n, c, in) / counts[static_cast<std::size_t>(out)];
                         }
                       });
    }
  }
  return y;
}

Gradients pool_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  const Values y = pool_forward(trial);
  Gradients gradients = zero_gradients(trial);
  const std::vector<double> counts = divisors(trial);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      std::vector<bool> taken(static_cast<std::size_t>(dy.positions()));
      for_each_product(window_of(trial), x.extents, dy.extents,
                       [&](std::int64_t out, std::int64_t in, std::int64_t) {
                         const auto place = static_cast<std::size_t>(out);
                         if (!is_max(trial)) {
                           gradients.inputs[0].at(n, c, in) += dy.at(n, c, out) / counts[place];
                         } else if (!taken[place] && x.at(n, c, in) == y.at(n, c, out)) {
                           taken[place] = true;
                           gradients.inputs[0].at(n, c, in) += dy.at(n, c, out);
                         }
                       });
    }
  }
  return gradients;
}

}  // namespace oracle::reference
