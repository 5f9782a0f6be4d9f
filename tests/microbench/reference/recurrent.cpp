// Recurrent layers step by step, from the formulas of PyTorch's documentation (nn.LSTM, nn.GRU,
// nn.RNN); backward through time by the chain rule, one token, feature and gate after the other.
// Weights by direction: W [gate, feature, channel], R [gate, feature, feature], biases of W and of
// R.

#include <cmath>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

using Vector = std::vector<double>;

/// One direction of one sample.
struct Run {
  const Trial& trial;
  std::int64_t sample, direction;

  std::int64_t gates() const {
    const std::string_view cell = trial.layer.layer->variant;
    return cell == "lstm" ? 4 : (cell == "gru" ? 3 : 1);
  }
  std::int64_t directions() const { return trial.layer.output.channels / hidden(); }
  std::int64_t hidden() const {
    return static_cast<std::int64_t>(trial.weights[1].size()) /
           (gates() * trial.layer.output.channels);
  }
  std::int64_t channels() const { return trial.layer.inputs[0].channels; }
  std::int64_t tokens() const { return trial.inputs[0].positions(); }
  std::int64_t token(std::int64_t step) const {
    return direction == 0 ? step : tokens() - 1 - step;
  }
  std::size_t w(std::int64_t gate, std::int64_t j, std::int64_t c) const {
    return static_cast<std::size_t>(((direction * gates() + gate) * hidden() + j) * channels() + c);
  }
  std::size_t r(std::int64_t gate, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(((direction * gates() + gate) * hidden() + j) * hidden() + k);
  }
  /// `of`: 0 of W, 1 of R.
  std::size_t b(std::int64_t of, std::int64_t gate, std::int64_t j) const {
    return static_cast<std::size_t>(((direction * 2 + of) * gates() + gate) * hidden() + j);
  }
  bool biased() const { return trial.weights.size() > 2; }

  double input_sum(std::int64_t gate, std::int64_t j, std::int64_t t) const {
    double sum = biased() ? trial.weights[2][b(0, gate, j)] : 0;
    for (std::int64_t c = 0; c < channels(); ++c) {
      sum += trial.weights[0][w(gate, j, c)] * trial.inputs[0].at(sample, c, t);
    }
    return sum;
  }
  double state_sum(std::int64_t gate, std::int64_t j, const Vector& h) const {
    double sum = biased() ? trial.weights[2][b(1, gate, j)] : 0;
    for (std::int64_t k = 0; k < hidden(); ++k) {
      sum += trial.weights[1][r(gate, j, k)] * h[static_cast<std::size_t>(k)];
    }
    return sum;
  }
};

/// What one step made of one feature: up to four gates, the state and, of an LSTM, the cell; of a
/// GRU `reset` is the sum that r is a factor of.
struct Feature {
  double gate[4] = {};
  double h = 0, c = 0, reset = 0;
};
using Step = std::vector<Feature>;

Feature stepped(const Run& run, std::int64_t j, std::int64_t t, const Vector& h, double c) {
  const std::string_view cell = run.trial.layer.layer->variant;
  Feature made;
  const auto sum = [&](std::int64_t gate) {
    return run.input_sum(gate, j, t) + run.state_sum(gate, j, h);
  };
  if (cell == "lstm") {
    for (const std::int64_t gate : {0, 1, 3}) made.gate[gate] = sigma(sum(gate));
    made.gate[2] = std::tanh(sum(2));
    made.c = made.gate[1] * c + made.gate[0] * made.gate[2];
    made.h = made.gate[3] * std::tanh(made.c);
  } else if (cell == "gru") {
    for (const std::int64_t gate : {0, 1}) made.gate[gate] = sigma(sum(gate));
    made.reset = run.state_sum(2, j, h);
    made.gate[2] = std::tanh(run.input_sum(2, j, t) + made.gate[0] * made.reset);
    made.h = (1 - made.gate[1]) * made.gate[2] + made.gate[1] * h[static_cast<std::size_t>(j)];
  } else {
    made.h = std::tanh(sum(0));
  }
  return made;
}

std::vector<Step> steps_of(const Run& run) {
  const auto size = static_cast<std::size_t>(run.hidden());
  std::vector<Step> steps;
  Vector h(size, 0), c(size, 0);
  for (std::int64_t s = 0; s < run.tokens(); ++s) {
    Step step(size);
    for (std::size_t j = 0; j < size; ++j) {
      step[j] = stepped(run, static_cast<std::int64_t>(j), run.token(s), h, c[j]);
    }
    for (std::size_t j = 0; j < size; ++j) {
      h[j] = step[j].h;
      c[j] = step[j].c;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Gradients of a feature's sums over inputs and over states, by gate.
struct Slopes {
  double input[4] = {}, state[4] = {};
};

Slopes slopes_of(std::string_view cell, const Feature& now, double dh, double dc, double h_before,
                 double c_before) {
  Slopes d;
  const double* a = now.gate;
  if (cell == "lstm") {
    d.input[0] = dc * a[2] * a[0] * (1 - a[0]);
    d.input[1] = dc * c_before * a[1] * (1 - a[1]);
    d.input[2] = dc * a[0] * (1 - a[2] * a[2]);
    d.input[3] = dh * std::tanh(now.c) * a[3] * (1 - a[3]);
  } else if (cell == "gru") {
    d.input[2] = dh * (1 - a[1]) * (1 - a[2] * a[2]);
    d.input[0] = d.input[2] * now.reset * a[0] * (1 - a[0]);
    d.input[1] = dh * (h_before - a[2]) * a[1] * (1 - a[1]);
  } else {
    d.input[0] = dh * (1 - now.h * now.h);
  }
  for (int gate = 0; gate < 4; ++gate) d.state[gate] = d.input[gate];
  if (cell == "gru") d.state[2] *= a[0];
  return d;
}

/// Adds what one feature's slopes at one token do to all gradients; `before` is the state.
void spread(const Run& run, const Slopes& d, std::int64_t j, std::int64_t t, const Vector& before,
            Vector& dh_before, Gradients& gradients) {
  for (std::int64_t gate = 0; gate < run.gates(); ++gate) {
    for (std::int64_t c = 0; c < run.channels(); ++c) {
      gradients.weights[0][run.w(gate, j, c)] +=
          d.input[gate] * run.trial.inputs[0].at(run.sample, c, t);
      gradients.inputs[0].at(run.sample, c, t) +=
          d.input[gate] * run.trial.weights[0][run.w(gate, j, c)];
    }
    for (std::int64_t k = 0; k < run.hidden(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      gradients.weights[1][run.r(gate, j, k)] += d.state[gate] * before[i];
      dh_before[i] += d.state[gate] * run.trial.weights[1][run.r(gate, j, k)];
    }
    if (!run.biased()) continue;
    gradients.weights[2][run.b(0, gate, j)] += d.input[gate];
    gradients.weights[2][run.b(1, gate, j)] += d.state[gate];
  }
}

void through_time(const Run& run, Gradients& gradients) {
  const std::string_view cell = run.trial.layer.layer->variant;
  const std::vector<Step> steps = steps_of(run);
  const auto size = static_cast<std::size_t>(run.hidden());
  Vector dh(size, 0), dc(size, 0);
  for (std::int64_t s = run.tokens(); s-- > 0;) {
    const Step& now = steps[static_cast<std::size_t>(s)];
    const Step first(size);
    const Step& last = s == 0 ? first : steps[static_cast<std::size_t>(s - 1)];
    Vector before(size), dh_before(size, 0);
    for (std::size_t j = 0; j < size; ++j) before[j] = last[j].h;
    for (std::size_t j = 0; j < size; ++j) {
      const auto feature = static_cast<std::int64_t>(j);
      const double slope =
          dh[j] + run.trial.output_gradient.at(run.sample, run.direction * run.hidden() + feature,
                                               run.token(s));
      const double bent = std::tanh(now[j].c);
      if (cell == "lstm") dc[j] += slope * now[j].gate[3] * (1 - bent * bent);
      const Slopes d = slopes_of(cell, now[j], slope, dc[j], before[j], last[j].c);
      spread(run, d, feature, run.token(s), before, dh_before, gradients);
      if (cell == "lstm") dc[j] *= now[j].gate[1];
      if (cell == "gru") dh_before[j] += slope * now[j].gate[1];
    }
    dh = dh_before;
  }
}

template <class Visit>
void for_each_run(const Trial& trial, Visit visit) {
  for (std::int64_t n = 0; n < trial.layer.output.samples; ++n) {
    const std::int64_t directions = Run{trial, n, 0}.directions();
    for (std::int64_t d = 0; d < directions; ++d) visit(Run{trial, n, d});
  }
}

}  // namespace

Values recurrent_forward(const Trial& trial) {
  Values y(trial.layer.output);
  for_each_run(trial, [&](const Run& run) {
    const std::vector<Step> steps = steps_of(run);
    for (std::int64_t s = 0; s < run.tokens(); ++s) {
      for (std::int64_t j = 0; j < run.hidden(); ++j) {
        y.at(run.sample, run.direction * run.hidden() + j, run.token(s)) =
            steps[static_cast<std::size_t>(s)][static_cast<std::size_t>(j)].h;
      }
    }
  });
  return y;
}

Gradients recurrent_backward(const Trial& trial) {
  Gradients gradients = zero_gradients(trial);
  for_each_run(trial, [&](const Run& run) { through_time(run, gradients); });
  return gradients;
}

}  // namespace oracle::reference
