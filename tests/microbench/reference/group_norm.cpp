// y = γ·(x − μ)/√(σ² + ε) + β over the channels of a group and all positions, ε = 1e-5.

#include <cmath>
#include <functional>

#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

constexpr double kEpsilon = 1e-5;

/// A sample's group.
struct Group {
  std::int64_t sample = 0, first = 0, end = 0;
  double mean = 0, deviation = 0, count = 0;
  double normalized(double x) const { return (x - mean) / deviation; }
};

/// Calls visit(channel, position) for all of a group.
void for_each_member(const Group& group, const Values& x,
                     const std::function<void(std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t c = group.first; c < group.end; ++c) {
    for (std::int64_t p = 0; p < x.positions(); ++p) visit(c, p);
  }
}

void for_each_group(const Trial& trial, const std::function<void(const Group&)>& visit) {
  const Values& x = trial.inputs[0];
  const std::int64_t each = x.extents.channels / trial.layer.groups;
  for (std::int64_t n = 0; n < x.extents.samples; ++n) {
    for (std::int64_t first = 0; first < x.extents.channels; first += each) {
      Group group{n, first, first + each, 0, 0, static_cast<double>(each * x.positions())};
      double squares = 0;
      for_each_member(group, x, [&](auto c, auto p) { group.mean += x.at(n, c, p) / group.count; });
      for_each_member(group, x,
                      [&](auto c, auto p) { squares += std::pow(x.at(n, c, p) - group.mean, 2); });
      group.deviation = std::sqrt(squares / group.count + kEpsilon);
      visit(group);
    }
  }
}

double weight(const Trial& trial, std::size_t index, std::int64_t channel) {
  if (trial.weights.empty()) return index == 0 ? 1 : 0;
  return trial.weights[index][static_cast<std::size_t>(channel)];
}

}  // namespace

Values group_norm_forward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  Values y(x.extents);
  for_each_group(trial, [&](const Group& group) {
    for_each_member(group, x, [&](auto c, auto p) {
      y.at(group.sample, c, p) =
          weight(trial, 0, c) * group.normalized(x.at(group.sample, c, p)) + weight(trial, 1, c);
    });
  });
  return y;
}

Gradients group_norm_backward(const Trial& trial) {
  const Values& x = trial.inputs[0];
  const Values& dy = trial.output_gradient;
  Gradients gradients = zero_gradients(trial);
  for_each_group(trial, [&](const Group& group) {
    const std::int64_t n = group.sample;
    double sum = 0, product = 0;
    for_each_member(group, x, [&](auto c, auto p) {
      const double normalized = group.normalized(x.at(n, c, p));
      sum += weight(trial, 0, c) * dy.at(n, c, p);
      product += weight(trial, 0, c) * dy.at(n, c, p) * normalized;
      if (trial.weights.empty()) return;
      gradients.weights[0][static_cast<std::size_t>(c)] += dy.at(n, c, p) * normalized;
      gradients.weights[1][static_cast<std::size_t>(c)] += dy.at(n, c, p);
    });
    for_each_member(group, x, [&](auto c, auto p) {
      const double normalized = group.normalized(x.at(n, c, p));
      gradients.inputs[0].at(n, c, p) =
          (weight(trial, 0, c) * dy.at(n, c, p) - (sum + normalized * product) / group.count) /
          group.deviation;
    });
  });
  return gradients;
}

}  // namespace oracle::reference
