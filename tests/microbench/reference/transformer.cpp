// Kinds of transformers: root-mean-square norms, rotary positions, gates, rows added by position
// and attention with all scores written out.

#include <algorithm>
#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

struct Slope {
  double value, slope;
};

Slope gate_of(const Trial& trial, double x) {
  if (trial.layer.layer->variant == "gelu") {
    const double part = std::erfc(-x / std::sqrt(2.0)) / 2;
    return {x * part, part + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0))};
  }
  const double part = 1 / (1 + std::exp(-x));
  if (trial.layer.layer->variant == "sigmoid") return {part, part * (1 - part)};
  return {x * part, part + x * part * (1 - part)};
}

/// Calls visit(sample, first channel, position) for each group of channels at each position.
template <typename Visit>
void for_each_group(const Values& x, std::int64_t size, Visit visit) {
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; c += size) {
      for (std::int64_t p = 0; p < x.positions(); ++p) visit(n, c, p);
    }
  }
}

std::int64_t group_size(const Trial& trial) {
  const Layer& layer = *trial.layer.layer;
  return layer.input.channels() / layer.groups;
}

double root_mean_square(const Values& x, std::int64_t n, std::int64_t first, std::int64_t p,
                        std::int64_t size) {
  double sum = 0;
  for (std::int64_t c = 0; c < size; ++c) sum += std::pow(x.at(n, first + c, p), 2);
  return std::sqrt(sum / static_cast<double>(size) + 1e-5);
}

/// Turns by `direction` times the angles.
Values turned(const Trial& trial, const Values& x, double direction) {
  const Heads& heads = trial.layer.layer->heads;
  Values y = x;
  for_each_group(x, group_size(trial), [&](std::int64_t n, std::int64_t first, std::int64_t p) {
    const auto position = static_cast<double>(trial.layer.position(p));
    for (std::int64_t i = 0; i < heads.turned / 2; ++i) {
      const double exponent = -2 * static_cast<double>(i) / static_cast<double>(heads.turned);
      const double angle =
          direction * position * std::pow(static_cast<double>(heads.base), exponent);
      const std::int64_t a = first + i, b = first + i + heads.turned / 2;
      y.at(n, a, p) = x.at(n, a, p) * std::cos(angle) - x.at(n, b, p) * std::sin(angle);
      y.at(n, b, p) = x.at(n, b, p) * std::cos(angle) + x.at(n, a, p) * std::sin(angle);
    }
  });
  return y;
}

std::size_t row_element(const Trial& trial, std::int64_t channel, std::int64_t position) {
  const Layer& layer = *trial.layer.layer;
  const std::int64_t rows = layer.weights[0].elements / layer.input.channels();
  const std::int64_t row = layer.variant == "segment" ? 0 : trial.layer.position(position);
  return static_cast<std::size_t>(channel * rows + row);
}

/// The row of a table of relative positions that is added for a query and a key.
std::int64_t relative_row(const Layer& layer, std::int64_t query, std::int64_t key) {
  const Heads& heads = layer.heads;
  const std::int64_t rows = layer.weights[0].elements / heads.queries;
  if (heads.within > 0) {
    const auto side =
        static_cast<std::int64_t>(std::round(std::sqrt(static_cast<double>(heads.within))));
    const std::int64_t from = query % heads.within, to = key % heads.within;
    return (from / side - to / side + side - 1) * (2 * side - 1) + from % side - to % side + side -
           1;
  }
  const std::int64_t here = heads.causal ? rows : rows / 2, exact = here / 2;
  const std::int64_t before = !heads.causal && key > query ? here : 0;
  const double distance = std::abs(static_cast<double>(key - query));
  if (distance < static_cast<double>(exact)) return before + std::abs(key - query);
  const auto shortest = static_cast<double>(exact);
  const double farther = std::floor(std::log(distance / shortest) / std::log(128 / shortest) *
                                    static_cast<double>(here - exact));
  return before + std::min(here - 1, exact + static_cast<std::int64_t>(farther));
}

/// The number of a rank's head in its part of the table.
std::size_t relative_number(const Layer& layer, std::int64_t head, std::int64_t query,
                            std::int64_t key) {
  const std::int64_t rows = layer.weights[0].elements / layer.heads.queries;
  return static_cast<std::size_t>(head * rows + relative_row(layer, query, key));
}

/// One head of one sample, with its scores written out.
struct Head {
  std::int64_t sample, query, key, value;  ///< first channels of q (and y), k and v
  std::int64_t query_size, value_size;
  std::int64_t output;
  std::vector<std::vector<double>> shares;  ///< by query, then key
};

template <typename Visit>
void for_each_head(const Trial& trial, Visit visit) {
  const Layer& layer = *trial.layer.layer;
  const Values &q = trial.inputs[0], &k = trial.inputs[1];
  const std::int64_t query_size = layer.input.channels() / layer.heads.queries;
  const std::int64_t value_size = layer.output.channels() / layer.heads.queries;
  const std::int64_t first = trial.layer.place.channels / value_size;
  const bool all_keys = k.extents.channels == query_size * layer.heads.keys;
  for (std::int64_t n = 0; n < q.extents.samples; ++n) {
    for (std::int64_t h = 0; h < q.extents.channels / query_size; ++h) {
      const std::int64_t of =
          ((all_keys ? first : 0) + h) / (layer.heads.queries / layer.heads.keys);
      Head head{n,          h * query_size, of * query_size, of * value_size,
                query_size, value_size,     h * value_size,  {}};
      for (std::int64_t i = 0; i < q.positions(); ++i) {
        const std::int64_t at = layer.heads.first + trial.layer.position(i);
        std::vector<double> row(static_cast<std::size_t>(k.positions()), 0);
        double sum = 0;
        for (std::int64_t j = 0; j < k.positions(); ++j) {
          const bool near =
              layer.heads.within == 0 || j / layer.heads.within == at / layer.heads.within;
          const bool seen =
              near && (!layer.heads.causal || (j <= at && j > at - layer.heads.window));
          if (!seen) continue;
          double score = 0;
          for (std::int64_t c = 0; c < query_size; ++c) {
            score += q.at(n, head.query + c, i) * k.at(n, head.key + c, j);
          }
          score /= std::sqrt(static_cast<double>(query_size));
          if (layer.trainable()) score += trial.weights[0][relative_number(layer, h, at, j)];
          row[static_cast<std::size_t>(j)] = std::exp(score);
          sum += row[static_cast<std::size_t>(j)];
        }
        for (double& share : row) share /= sum;
        head.shares.push_back(std::move(row));
      }
      visit(head);
    }
  }
}

/// Calls visit(sample, input, channel of it, channel of the output, position).
template <typename Visit>
void for_each_of_joined(const Trial& trial, Visit visit) {
  const Layer& layer = *trial.layer.layer;
  const std::int64_t own = layer.input.channels() / layer.heads.queries;
  const std::int64_t size = own + trial.inputs[1].extents.channels;
  for_each_group(Values(trial.layer.output), 1, [&](auto n, auto c, auto p) {
    const std::int64_t head = c / size, within = c % size;
    const bool shared = within >= own;
    visit(n, shared ? 1U : 0U, shared ? within - own : head * own + within, c, p);
  });
}

}  // namespace

Values rms_norm_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  const std::int64_t size = group_size(trial);
  for_each_group(x, size, [&](std::int64_t n, std::int64_t first, std::int64_t p) {
    const double root = root_mean_square(x, n, first, p, size);
    for (std::int64_t c = 0; c < size; ++c) {
      const auto i = static_cast<std::size_t>(first + c) % trial.weights[0].size();
      y.at(n, first + c, p) = trial.weights[0][i] * x.at(n, first + c, p) / root;
    }
  });
  return y;
}

Gradients rms_norm_backward(const Trial& trial) {
  const Values &x = trial.inputs[0], &dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  const std::int64_t size = group_size(trial);
  for_each_group(x, size, [&](std::int64_t n, std::int64_t first, std::int64_t p) {
    const double root = root_mean_square(x, n, first, p, size);
    double product = 0;
    for (std::int64_t c = 0; c < size; ++c) {
      const auto i = static_cast<std::size_t>(first + c) % trial.weights[0].size();
      product += trial.weights[0][i] * dy.at(n, first + c, p) * x.at(n, first + c, p);
      gradients.weights[0][i] += dy.at(n, first + c, p) * x.at(n, first + c, p) / root;
    }
    for (std::int64_t c = 0; c < size; ++c) {
      const auto i = static_cast<std::size_t>(first + c) % trial.weights[0].size();
      const double direct = trial.weights[0][i] * dy.at(n, first + c, p);
      gradients.inputs[0].at(n, first + c, p) =
          direct / root -
          x.at(n, first + c, p) * product / (static_cast<double>(size) * std::pow(root, 3));
    }
  });
  return gradients;
}

Values rotary_forward(const Trial& trial) { return turned(trial, trial.inputs[0], 1); }

Gradients rotary_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  gradients.inputs[0] = turned(trial, trial.output_gradient, -1);
  return gradients;
}

Values gate_forward(const Trial& trial) {
  Values y(trial.inputs[0].extents);
  for (std::size_t i = 0; i < y.of.size(); ++i) {
    y.of[i] = gate_of(trial, trial.inputs[0].of[i]).value * trial.inputs[1].of[i];
  }
  return y;
}

Gradients gate_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for (std::size_t i = 0; i < trial.output_gradient.of.size(); ++i) {
    const Slope gate = gate_of(trial, trial.inputs[0].of[i]);
    const double dy = trial.output_gradient.of[i];
    gradients.inputs[0].of[i] = dy * trial.inputs[1].of[i] * gate.slope;
    gradients.inputs[1].of[i] = dy * gate.value;
  }
  return gradients;
}

Values added_rows_forward(const Trial& trial) {
  Values y = trial.inputs[0];
  for_each_group(y, 1, [&](std::int64_t n, std::int64_t c, std::int64_t p) {
    y.at(n, c, p) += trial.weights[0][row_element(trial, c, p)];
  });
  return y;
}

Gradients added_rows_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  gradients.inputs[0] = trial.output_gradient;
  for_each_group(trial.output_gradient, 1, [&](std::int64_t n, std::int64_t c, std::int64_t p) {
    gradients.weights[0][row_element(trial, c, p)] += trial.output_gradient.at(n, c, p);
  });
  return gradients;
}

Values prepended_rows_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(trial.layer.output);
  const std::int64_t rows = y.positions() - x.positions();
  for_each_group(y, 1, [&](std::int64_t n, std::int64_t c, std::int64_t p) {
    y.at(n, c, p) =
        p < rows ? trial.weights[0][static_cast<std::size_t>(c * rows + p)] : x.at(n, c, p - rows);
  });
  return y;
}

Gradients prepended_rows_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  const Values& dy = trial.output_gradient;
  const std::int64_t rows = dy.positions() - trial.inputs[0].positions();
  for_each_group(dy, 1, [&](std::int64_t n, std::int64_t c, std::int64_t p) {
    double& to = p < rows ? gradients.weights[0][static_cast<std::size_t>(c * rows + p)]
                          : gradients.inputs[0].at(n, c, p - rows);
    to += dy.at(n, c, p);
  });
  return gradients;
}

Values head_concat_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_of_joined(trial, [&](auto n, std::size_t input, auto from, auto to, auto p) {
    y.at(n, to, p) = trial.inputs[input].at(n, from, p);
  });
  return y;
}

Gradients head_concat_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for_each_of_joined(trial, [&](auto n, std::size_t input, auto from, auto to, auto p) {
    gradients.inputs[input].at(n, from, p) += trial.output_gradient.at(n, to, p);
  });
  return gradients;
}

Values attention_forward(const Trial& trial) {
  const Values& v = trial.inputs[2];
  Values y(trial.layer.output);
  for_each_head(trial, [&](const Head& head) {
    for (std::size_t i = 0; i < head.shares.size(); ++i) {
      for (std::int64_t c = 0; c < head.value_size; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < head.shares[i].size(); ++j) {
          sum +=
              head.shares[i][j] * v.at(head.sample, head.value + c, static_cast<std::int64_t>(j));
        }
        y.at(head.sample, head.output + c, static_cast<std::int64_t>(i)) = sum;
      }
    }
  });
  return y;
}

Gradients attention_backward(const Trial& trial) {
  const Values &q = trial.inputs[0], &k = trial.inputs[1], &v = trial.inputs[2];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  Values &dq = gradients.inputs[0], &dk = gradients.inputs[1], &dv = gradients.inputs[2];
  for_each_head(trial, [&](const Head& head) {
    const std::int64_t n = head.sample;
    for (std::int64_t i = 0; i < q.positions(); ++i) {
      const std::vector<double>& shares = head.shares[static_cast<std::size_t>(i)];
      std::vector<double> slopes(shares.size(), 0);
      double mean = 0;
      for (std::int64_t j = 0; j < k.positions(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        for (std::int64_t c = 0; c < head.value_size; ++c) {
          slopes[at] += dy.at(n, head.output + c, i) * v.at(n, head.value + c, j);
          dv.at(n, head.value + c, j) += shares[at] * dy.at(n, head.output + c, i);
        }
        mean += shares[at] * slopes[at];
      }
      for (std::int64_t j = 0; j < k.positions(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double slope = shares[at] * (slopes[at] - mean);
        if (trial.layer.layer->trainable()) {
          gradients.weights[0][relative_number(*trial.layer.layer, head.query / head.query_size,
                                               trial.layer.position(i), j)] += slope;
        }
        const double score = slope / std::sqrt(static_cast<double>(head.query_size));
        for (std::int64_t c = 0; c < head.query_size; ++c) {
          dq.at(n, head.query + c, i) += score * k.at(n, head.key + c, j);
          dk.at(n, head.key + c, j) += score * q.at(n, head.query + c, i);
        }
      }
    }
  });
  return gradients;
}

}  // namespace oracle::reference
