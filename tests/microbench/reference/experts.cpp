// Tokens to experts and back: each token to the experts of its best scores that have room, all
// first choices before second ones.

#include <algorithm>
#include <numeric>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

/// A row of a sample that a token has.
struct Taken {
  std::int64_t sample, row, token, expert;
};

std::int64_t first_row(std::int64_t expert, std::int64_t rows, std::int64_t experts) {
  return expert * rows / experts;
}

/// A token's experts, the best first.
std::vector<std::int64_t> by_score(const Values& scores, std::int64_t n, std::int64_t token) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(scores.extents.channels));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return scores.at(n, a, token) > scores.at(n, b, token);
  });
  return order;
}

std::vector<Taken> taken_rows(const Values& scores, std::int64_t rows, std::int64_t per_token) {
  const std::int64_t experts = scores.extents.channels;
  std::vector<Taken> taken;
  const auto has = [&](std::int64_t n, std::int64_t token, std::int64_t expert) {
    return std::any_of(taken.begin(), taken.end(), [&](const Taken& t) {
      return t.sample == n && t.token == token && t.expert == expert;
    });
  };
  const auto used = [&](std::int64_t n, std::int64_t expert) {
    return std::count_if(taken.begin(), taken.end(),
                         [&](const Taken& t) { return t.sample == n && t.expert == expert; });
  };
  for (std::int64_t n = 0; n < scores.extents.samples; ++n) {
    for (std::int64_t choice = 0; choice < per_token; ++choice) {
      for (std::int64_t token = 0; token < scores.positions(); ++token) {
        for (const std::int64_t e : by_score(scores, n, token)) {
          const std::int64_t row = first_row(e, rows, experts) + used(n, e);
          if (has(n, token, e) || row == first_row(e + 1, rows, experts)) continue;
          taken.push_back({n, row, token, e});
          break;
        }
      }
    }
  }
  return taken;
}

std::vector<Taken> taken_rows(const Trial& trial) {
  const Layer& layer = *trial.layer.layer;
  const bool joins = layer.routed == Routed::combine;
  const std::int64_t rows = joins ? trial.inputs[0].positions() : trial.layer.output.width;
  return taken_rows(trial.inputs[1], rows, layer.per_token);
}

/// Calls visit(sample, row, input channel, output feature, element of the weight).
template <typename Visit>
void for_each_product(const Trial& trial, Visit visit) {
  const Layer& layer = *trial.layer.layer;
  const Extents &x = trial.inputs[0].extents, &y = trial.layer.output;
  const std::int64_t held = trial.layer.rows > 0 ? trial.layer.rows : layer.experts;
  for (std::int64_t e = 0; e < held; ++e) {
    const std::int64_t all = trial.layer.whole.width, expert = trial.layer.first_row + e;
    const std::int64_t shift = trial.layer.place.width;
    for (std::int64_t r = first_row(expert, all, layer.experts) - shift;
         r < first_row(expert + 1, all, layer.experts) - shift; ++r) {
      for (std::int64_t n = 0; n < y.samples; ++n) {
        for (std::int64_t f = 0; f < y.channels; ++f) {
          for (std::int64_t c = 0; c < x.channels; ++c) {
            visit(n, r, c, f, static_cast<std::size_t>((e * y.channels + f) * x.channels + c));
          }
        }
      }
    }
  }
}

}  // namespace

Values dispatch_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for (const Taken& t : taken_rows(trial)) {
    for (std::int64_t c = 0; c < y.extents.channels; ++c) {
      y.at(t.sample, c, t.row) = trial.inputs[0].at(t.sample, c, t.token);
    }
  }
  return y;
}

Gradients dispatch_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for (const Taken& t : taken_rows(trial)) {
    for (std::int64_t c = 0; c < trial.layer.output.channels; ++c) {
      gradients.inputs[0].at(t.sample, c, t.token) += trial.output_gradient.at(t.sample, c, t.row);
    }
  }
  return gradients;
}

Values expert_dense_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_product(trial, [&](auto n, auto r, auto c, auto f, std::size_t w) {
    y.at(n, f, r) += trial.weights[0][w] * trial.inputs[0].at(n, c, r);
  });
  return y;
}

Gradients expert_dense_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for_each_product(trial, [&](auto n, auto r, auto c, auto f, std::size_t w) {
    const double dy = trial.output_gradient.at(n, f, r);
    gradients.inputs[0].at(n, c, r) += trial.weights[0][w] * dy;
    gradients.weights[0][w] += trial.inputs[0].at(n, c, r) * dy;
  });
  return gradients;
}

Values combine_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for (const Taken& t : taken_rows(trial)) {
    for (std::int64_t c = 0; c < y.extents.channels; ++c) {
      y.at(t.sample, c, t.token) +=
          trial.inputs[1].at(t.sample, t.expert, t.token) * trial.inputs[0].at(t.sample, c, t.row);
    }
  }
  return y;
}

Gradients combine_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for (const Taken& t : taken_rows(trial)) {
    for (std::int64_t c = 0; c < trial.layer.output.channels; ++c) {
      const double dy = trial.output_gradient.at(t.sample, c, t.token);
      gradients.inputs[0].at(t.sample, c, t.row) +=
          trial.inputs[1].at(t.sample, t.expert, t.token) * dy;
      gradients.inputs[1].at(t.sample, t.expert, t.token) +=
          trial.inputs[0].at(t.sample, c, t.row) * dy;
    }
  }
  return gradients;
}

}  // namespace oracle::reference
