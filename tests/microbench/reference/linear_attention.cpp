// Linear attention and the short convolution before it.
//
// A state is never formed forward: what position p reads of a row that position j wrote is
// y[p] += c(p, j)·u[j], with c(p, j) = (q[p]·k[j])·Π α over j < i ≤ p, and by the delta rule
// u[p] = β·(v[p] − Σ_j<p d(p, j)·u[j]) with k[p] in the place of q[p].

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::log1p(std::exp(x)); }

using Rows = std::vector<std::vector<double>>;  ///< by position

/// One head of values in one sample, all numbers written out.
struct Head {
  std::int64_t sample, head, key, value;  ///< first channels of keys and values
  std::int64_t keys, values;
  bool delta;
  Rows q, k, v;                               ///< queries and keys as they are used
  std::vector<double> exponent, alpha, gate;  ///< α = exp(exponent); β or δ
};

Rows rows_of(const Values& x, std::int64_t n, std::int64_t first, std::int64_t size) {
  Rows rows(static_cast<std::size_t>(x.positions()));
  for (std::size_t p = 0; p < rows.size(); ++p) {
    for (std::int64_t c = 0; c < size; ++c) {
      rows[p].push_back(x.at(n, first + c, static_cast<std::int64_t>(p)));
    }
  }
  return rows;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// One over the length.
double inverse_length(const std::vector<double>& x) { return 1 / std::sqrt(dot(x, x) + 1e-6); }

template <typename Visit>
void for_each_head(const Trial& trial, Visit visit) {
  const Layer& layer = *trial.layer.layer;
  const std::int64_t keys = layer.input.channels() / layer.heads.keys;
  const std::int64_t values = layer.output.channels() / layer.heads.values;
  const std::int64_t shared = layer.heads.values / layer.heads.keys;
  const Values& decay = trial.inputs[3];
  for (std::int64_t n = 0; n < decay.extents.samples; ++n) {
    for (std::int64_t h = 0; h < decay.extents.channels; ++h) {
      Head head{n,
                h,
                h / shared * keys,
                h * values,
                keys,
                values,
                layer.variant == "delta",
                {},
                {},
                {},
                {},
                {},
                {}};
      head.q = rows_of(trial.inputs[0], n, head.key, keys);
      head.k = rows_of(trial.inputs[1], n, head.key, keys);
      head.v = rows_of(trial.inputs[2], n, head.value, values);
      for (std::size_t p = 0; p < head.q.size(); ++p) {
        if (head.delta) {
          const double of_q = inverse_length(head.q[p]) / std::sqrt(static_cast<double>(keys)),
                       of_k = inverse_length(head.k[p]);
          for (double& x : head.q[p]) x *= of_q;
          for (double& x : head.k[p]) x *= of_k;
        }
        const auto at = static_cast<std::int64_t>(p);
        const auto i = static_cast<std::size_t>(h);
        const double step = softplus(decay.at(n, h, at) + trial.weights[1][i]);
        head.exponent.push_back(-std::exp(trial.weights[0][i]) * step);
        head.alpha.push_back(std::exp(head.exponent.back()));
        head.gate.push_back(head.delta ? logistic(trial.inputs[4].at(n, h, at)) : step);
      }
      visit(head);
    }
  }
}

/// Π α over the positions after j up to p.
double faded(const Head& head, std::size_t j, std::size_t p) {
  double sum = 0;
  for (std::size_t i = j + 1; i <= p; ++i) sum += head.exponent[i];
  return std::exp(sum);
}

/// What each position writes.
Rows written(const Head& head) {
  Rows u = head.v;
  for (std::size_t p = 0; p < u.size(); ++p) {
    for (std::size_t j = 0; head.delta && j < p; ++j) {
      const double read = dot(head.k[p], head.k[j]) * faded(head, j, p);
      for (std::size_t c = 0; c < u[p].size(); ++c) u[p][c] -= read * u[j][c];
    }
    for (double& x : u[p]) x *= head.gate[p];
  }
  return u;
}

/// Gradients of one head, of what is used.
struct HeadGradients {
  Rows q, k, v;
  std::vector<double> exponent, gate;
};

/// From the last position to the first: what u[p] is read by is known when its turn comes.
HeadGradients backward_of(const Head& head, const Rows& dy) {
  const Rows u = written(head);
  const std::size_t count = u.size();
  const auto zeros = [&](const Rows& like) {
    return Rows(count, std::vector<double>(like[0].size(), 0));
  };
  HeadGradients out{zeros(head.q), zeros(head.k), zeros(head.v), std::vector<double>(count, 0),
                    std::vector<double>(count, 0)};
  Rows du = zeros(head.v);
  const auto pair = [&](std::size_t p, std::size_t j, const std::vector<double>& reader,
                        std::vector<double>& of_reader, const std::vector<double>& to,
                        double sign) {
    const double fade = faded(head, j, p), product = dot(reader, head.k[j]);
    const double slope = sign * dot(to, u[j]);
    for (std::size_t c = 0; c < reader.size(); ++c) {
      of_reader[c] += slope * fade * head.k[j][c];
      out.k[j][c] += slope * fade * reader[c];
    }
    for (std::size_t c = 0; c < to.size(); ++c) du[j][c] += sign * product * fade * to[c];
    for (std::size_t i = j + 1; i <= p; ++i) out.exponent[i] += slope * product * fade;
  };
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t j = 0; j <= p; ++j) pair(p, j, head.q[p], out.q[p], dy[p], 1);
  }
  for (std::size_t p = count; p-- > 0;) {
    std::vector<double> rest = du[p];
    for (double& x : rest) x *= head.gate[p];
    out.v[p] = rest;
    out.gate[p] = dot(du[p], u[p]) / head.gate[p];
    if (!head.delta) continue;
    for (std::size_t j = 0; j < p; ++j) pair(p, j, head.k[p], out.k[p], rest, -1);
  }
  return out;
}

/// Of a row before it was divided by its length and multiplied by `factor`.
std::vector<double> through_length(const std::vector<double>& raw, std::vector<double> gradient,
                                   double factor) {
  const double inverse = inverse_length(raw), along = dot(raw, gradient) * inverse * inverse;
  for (std::size_t c = 0; c < raw.size(); ++c) {
    gradient[c] = factor * inverse * (gradient[c] - along * raw[c]);
  }
  return gradient;
}

/// The sums before the function, and its slopes there.
Values sums_along_text(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const std::int64_t taps =
      trial.layer.layer->weights[0].elements / trial.layer.layer->output.channels();
  Values z(x.extents);
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        if (trial.weights.size() > 1) z.at(n, c, p) = trial.weights[1][static_cast<std::size_t>(c)];
        for (std::int64_t back = 0; back < taps && back <= p; ++back) {
          z.at(n, c, p) += trial.weights[0][static_cast<std::size_t>(c * taps + taps - 1 - back)] *
                           x.at(n, c, p - back);
        }
      }
    }
  }
  return z;
}

}  // namespace

Values causal_convolution_forward(const Trial& trial) {
  Values y = sums_along_text(trial);
  if (trial.layer.layer->variant != "silu") return y;
  for (double& value : y.of) value *= logistic(value);
  return y;
}

Gradients causal_convolution_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values dz = sums_along_text(trial);
  for (std::size_t i = 0; i < dz.of.size(); ++i) {
    const double part = logistic(dz.of[i]);
    const bool silu = trial.layer.layer->variant == "silu";
    dz.of[i] = trial.output_gradient.of[i] * (silu ? part + dz.of[i] * part * (1 - part) : 1);
  }
  Gradients out = zero_gradients(trial);
  const auto taps =
      static_cast<std::int64_t>(trial.weights[0].size()) / trial.layer.output.channels;
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t c = 0; c < x.extents.channels; ++c) {
      for (std::int64_t p = 0; p < x.positions(); ++p) {
        const double slope = dz.at(n, c, p);
        if (trial.weights.size() > 1) out.weights[1][static_cast<std::size_t>(c)] += slope;
        for (std::int64_t back = 0; back < taps && back <= p; ++back) {
          const auto tap = static_cast<std::size_t>(c * taps + taps - 1 - back);
          out.weights[0][tap] += slope * x.at(n, c, p - back);
          out.inputs[0].at(n, c, p - back) += slope * trial.weights[0][tap];
        }
      }
    }
  }
  return out;
}

Values linear_attention_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_head(trial, [&](const Head& head) {
    const Rows u = written(head);
    for (std::size_t p = 0; p < u.size(); ++p) {
      for (std::int64_t c = 0; c < head.values; ++c) {
        double sum = head.delta ? 0
                                : trial.weights[2][static_cast<std::size_t>(head.head)] *
                                      head.v[p][static_cast<std::size_t>(c)];
        for (std::size_t j = 0; j <= p; ++j) {
          sum += dot(head.q[p], head.k[j]) * faded(head, j, p) * u[j][static_cast<std::size_t>(c)];
        }
        y.at(head.sample, head.value + c, static_cast<std::int64_t>(p)) = sum;
      }
    }
  });
  return y;
}

Gradients linear_attention_backward(const Trial& trial) {
  Gradients out = zero_gradients(trial);
  for_each_head(trial, [&](const Head& head) {
    const std::int64_t n = head.sample, h = head.head;
    const auto of_head = static_cast<std::size_t>(h);
    const Rows dy = rows_of(trial.output_gradient, n, head.value, head.values);
    const HeadGradients gradients = backward_of(head, dy);
    const Rows q = rows_of(trial.inputs[0], n, head.key, head.keys),
               k = rows_of(trial.inputs[1], n, head.key, head.keys);
    for (std::size_t p = 0; p < dy.size(); ++p) {
      const auto at = static_cast<std::int64_t>(p);
      const double factor = 1 / std::sqrt(static_cast<double>(head.keys));
      const std::vector<double> of_q =
          head.delta ? through_length(q[p], gradients.q[p], factor) : gradients.q[p];
      const std::vector<double> of_k =
          head.delta ? through_length(k[p], gradients.k[p], 1) : gradients.k[p];
      for (std::int64_t c = 0; c < head.keys; ++c) {
        out.inputs[0].at(n, head.key + c, at) += of_q[static_cast<std::size_t>(c)];
        out.inputs[1].at(n, head.key + c, at) += of_k[static_cast<std::size_t>(c)];
      }
      for (std::int64_t c = 0; c < head.values; ++c) {
        const auto i = static_cast<std::size_t>(c);
        double& value = out.inputs[2].at(n, head.value + c, at);
        value += gradients.v[p][i];
        if (head.delta) continue;
        value += trial.weights[2][of_head] * dy[p][i];
        out.weights[2][of_head] += head.v[p][i] * dy[p][i];
      }
      const double sum = trial.inputs[3].at(n, h, at) + trial.weights[1][of_head];
      const double of_step = -std::exp(trial.weights[0][of_head]) * gradients.exponent[p] +
                             (head.delta ? 0 : gradients.gate[p]);
      out.inputs[3].at(n, h, at) = of_step * logistic(sum);
      out.weights[1][of_head] += of_step * logistic(sum);
      out.weights[0][of_head] += gradients.exponent[p] * head.exponent[p];
      if (head.delta) {
        out.inputs[4].at(n, h, at) = gradients.gate[p] * head.gate[p] * (1 - head.gate[p]);
      }
    }
  });
  return out;
}

}  // namespace oracle::reference
