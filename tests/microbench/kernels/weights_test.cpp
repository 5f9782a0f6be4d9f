// Weights in a convolution's own format: copies in plain order, sums over micro-batches, and the
// optimizer's steps against their formulas.

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace weights_test {

using reference::Trial;

/// A convolution with its operands, after one forward pass.
struct Training {
  explicit Training(std::int64_t channels = 21, std::int64_t features = 18)
      : one{"convolution",
            {1, channels, 1, 5, 5},
            {{"features", features}, {"kernel", 3}, {"pad", 1}}} {
    write_weights(*weights, trial.weights);
    call.inputs = inputs;
    call.output = y.get();
    call.output_gradient = dy.get();
    call.weights = weights.get();
    kernel->forward(call);
  }

  OneLayer one;
  std::unique_ptr<Backend> backend = backend_under_test();
  Trial trial = random_trial(one.whole(2));
  std::unique_ptr<Tensor> x = tensor_of(*backend, trial.inputs[0]);
  std::unique_ptr<Tensor> y = backend->tensor(trial.layer.output);
  std::unique_ptr<Tensor> dy = tensor_of(*backend, trial.output_gradient);
  std::unique_ptr<Weights> weights = backend->weights(trial.layer);
  std::unique_ptr<Kernel> kernel = backend->kernel(trial.layer);
  std::vector<Tensor*> inputs{x.get()};
  Call call;
};

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

TEST(Weights, ReadWhatWasWrittenInAnyFormat) {
  Training training;
  EXPECT_EQ(value_of(*training.weights, 0), training.trial.weights[0]);
  EXPECT_EQ(value_of(*training.weights, 1), training.trial.weights[1]);
  const std::vector<double> other = random_values(18 * 21 * 9, 99);
  write_weights(*training.weights, {other});
  EXPECT_EQ(value_of(*training.weights, 0), other);
}

std::vector<float> moment_of(const Weights& weights, std::size_t index, Moment moment) {
  std::vector<float> values(static_cast<std::size_t>(weights.elements(index)), 7);
  weights.read_moment(index, moment, values.data());
  return values;
}

/// In plain order, whichever format the weights are kept in; and an update starts from them.
TEST(Weights, MomentsAreReadAndWrittenAsValuesAre) {
  Training training, fresh;
  const std::vector<float> none(18 * 21 * 9, 0);
  EXPECT_EQ(moment_of(*training.weights, 0, Moment::first), none);
  EXPECT_EQ(moment_of(*training.weights, 0, Moment::second), none);
  OptimizerStep adam;
  adam.momentum = 0.9;
  adam.second_moment = 0.999;
  training.weights->begin_step();
  training.kernel->backward_weights(training.call);
  training.backend->update(*training.weights, adam);
  // Adam's first moment behind its first step is a tenth of the gradient.
  std::vector<float> gradient(none.size());
  training.weights->read_gradient(0, gradient.data());
  const std::vector<float> first = moment_of(*training.weights, 0, Moment::first);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], 0.1 * gradient[i], 1e-6);
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<float> value(static_cast<std::size_t>(training.weights->elements(p)));
    training.weights->read(p, value.data());
    fresh.weights->write(p, value.data());
    for (const Moment moment : {Moment::first, Moment::second}) {
      fresh.weights->write_moment(p, moment, moment_of(*training.weights, p, moment).data());
      EXPECT_EQ(moment_of(*fresh.weights, p, moment), moment_of(*training.weights, p, moment));
    }
  }
  adam.step = 2;
  for (Training* each : {&training, &fresh}) {
    each->weights->begin_step();
    each->kernel->backward_weights(each->call);
    each->backend->update(*each->weights, adam);
  }
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(value_of(*fresh.weights, p), value_of(*training.weights, p));
  }
}

TEST(Weights, GradientsOfMicroBatchesAddUp) {
  Training training;
  const auto once = reference::backward(training.trial).weights;
  for (int step = 0; step < 2; ++step) {
    training.weights->begin_step();
    for (int micro_batch = 1; micro_batch <= 3; ++micro_batch) {
      training.kernel->backward_weights(training.call);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_LT(relative_error(gradient_of(*training.weights, i), times(once[i], micro_batch)),
                  tolerance());
      }
    }
  }
}

TEST(Weights, GradientsCanBeReplaced) {
  Training training;
  training.kernel->backward_weights(training.call);
  const std::vector<double> sum = random_values(18 * 21 * 9, 5);
  const std::vector<float> floats(sum.begin(), sum.end());
  training.weights->write_gradient(0, floats.data());
  EXPECT_EQ(gradient_of(*training.weights, 0), sum);
}

TEST(Weights, GradientsTravelAsTheyAreKept) {
  Training from, to;
  from.kernel->backward_weights(from.call);
  const auto count = static_cast<std::size_t>(from.weights->elements(0));
  std::vector<std::byte> packed(count * element_bytes(from.backend->element()));
  from.weights->pack_gradient(0, packed.data());
  to.weights->unpack_gradient(0, packed.data());
  EXPECT_EQ(gradient_of(*to.weights, 0), gradient_of(*from.weights, 0));
}

/// Blocks that channels fill, and blocks that they do not.
TEST(Weights, GradientsTravelInTheOrderTheyAreKeptInWhereAllKnowIt) {
  for (const auto& [channels, features] : {std::pair{32, 48}, {21, 18}}) {
    Training from(channels, features), to(channels, features);
    from.kernel->backward_weights(from.call);
    to.kernel->backward_weights(to.call);
    const std::vector<double> sent = gradient_of(*from.weights, 0);
    to.weights->write_gradient(0, std::vector<float>(sent.size(), 1.0F).data());
    EXPECT_EQ(from.weights->kept_order(0), to.weights->kept_order(0));
    from.weights->pack_as_kept();
    to.weights->pack_as_kept();
    std::vector<std::byte> packed(sent.size() * element_bytes(from.backend->element()));
    from.weights->pack_gradient(0, packed.data());
    to.weights->unpack_gradient(0, packed.data());
    EXPECT_EQ(gradient_of(*to.weights, 0), sent);
  }
}

TEST(Optimizer, PassesReadWhatWasUpdated) {
  Training training;
  training.kernel->backward_weights(training.call);
  for (const double second_moment : {0.0, 0.999}) {
    for (const double momentum : {0.0, 0.9}) {
      if (second_moment > 0 && momentum == 0) continue;
      training.backend->update(*training.weights,
                               {.rate = 0.5, .momentum = momentum, .second_moment = second_moment});
      training.kernel->forward(training.call);
      Trial moved = training.trial;
      for (std::size_t i = 0; i < 2; ++i) moved.weights[i] = value_of(*training.weights, i);
      EXPECT_LT(relative_error(values_of(*training.y).of, reference::forward(moved).of),
                tolerance());
    }
  }
}

TEST(Optimizer, ScaledGradientsCountWhatTheyMean) {
  const auto scaled = [](double scale) {
    Training training;
    std::vector<float> gradient;
    for (const double value : random_values(18 * 21 * 9, 5)) {
      gradient.push_back(static_cast<float>(value * scale));
    }
    training.weights->write_gradient(0, gradient.data());
    training.backend->update(*training.weights,
                             {.rate = 0.5, .momentum = 0.9, .gradient_scale = scale});
    return value_of(*training.weights, 0);
  };
  if (backend_under_test()->element() == Element::fp32) return;  // whose scale is 1
  EXPECT_EQ(scaled(1024), scaled(1));
}

TEST(Optimizer, FindsGradientsThatAreNotFinite) {
  Training training;
  if (training.backend->element() == Element::fp32) return;  // which no one asks
  std::vector<float> gradient(18 * 21 * 9, 1.0F);
  Weights* const all[] = {training.weights.get()};
  for (const float bad : {1.0F, std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), NAN}) {
    gradient[100] = bad;
    training.weights->write_gradient(0, gradient.data());
    EXPECT_EQ(training.backend->finite(all), bad == 1.0F) << bad;
  }
}

/// Of weights near 1 no element of two bytes could be moved by 2^-13; the weights themselves are.
TEST(Optimizer, StepsTooSmallForAnElementAddUp) {
  Training training;
  const std::vector<float> ones(18 * 21 * 9, 1.0F);
  training.weights->write(0, ones.data());
  training.weights->write_gradient(0, ones.data());
  for (int i = 1; i <= 16; ++i) {
    training.backend->update(*training.weights, {.rate = 0x1p-13, .step = i});
  }
  EXPECT_EQ(value_of(*training.weights, 0), std::vector<double>(ones.size(), 1 - 0x1p-9));
}

/// The weights after `steps` steps with one gradient.
std::vector<double> stepped(OptimizerStep step, int steps) {
  Training training;
  training.kernel->backward_weights(training.call);
  for (int i = 1; i <= steps; ++i) {
    step.step = i;
    training.backend->update(*training.weights, step);
  }
  return value_of(*training.weights, 0);
}

std::vector<double> expected_after(const Training& training, double gradients) {
  std::vector<double> weights = training.trial.weights[0];
  const std::vector<double> gradient = reference::backward(training.trial).weights[0];
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= gradients * gradient[i];
  return weights;
}

TEST(Optimizer, PlainDescent) {
  const Training training;
  EXPECT_LT(relative_error(stepped({.rate = 0.1}, 3), expected_after(training, 0.3)), tolerance());
}

/// With one gradient g, the k-th step moves by rate·(1 + m + … + m^(k−1))·g.
TEST(Optimizer, Momentum) {
  const Training training;
  const double moved = 0.1 * (1 + 1.9 + 2.71);
  EXPECT_LT(
      relative_error(stepped({.rate = 0.1, .momentum = 0.9}, 3), expected_after(training, moved)),
      tolerance());
}

/// With one gradient both moments are unbiased from the first step on: each step moves by
/// rate·g/(|g| + ε).
TEST(Optimizer, Adam) {
  const Training training;
  const std::vector<double> gradient = reference::backward(training.trial).weights[0];
  std::vector<double> expected = training.trial.weights[0];
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] -= 4 * 0.01 * gradient[i] / (std::abs(gradient[i]) + 0.5);
  }
  const OptimizerStep step{.rate = 0.01, .momentum = 0.9, .second_moment = 0.999, .epsilon = 0.5};
  EXPECT_LT(relative_error(stepped(step, 4), expected), tolerance());
}

/// Two gradients, g then −g: m = β₁(1−β₁)g − (1−β₁)g, v = (1−β₂²)g²; so m̂ = −(1−β₁)/(1+β₁)·g and
/// v̂ = g².
TEST(Optimizer, AdamForgetsAtItsTwoRates) {
  Training training;
  const OptimizerStep step{.rate = 0.01, .momentum = 0.75, .second_moment = 0.5, .epsilon = 1e-12};
  const std::vector<double> g = random_values(18 * 21 * 9, 5);
  for (int i = 1; i <= 2; ++i) {
    std::vector<float> gradient(g.begin(), g.end());
    if (i == 2) {
      for (float& value : gradient) value = -value;
    }
    training.weights->write_gradient(0, gradient.data());
    OptimizerStep now = step;
    now.step = i;
    training.backend->update(*training.weights, now);
  }
  std::vector<double> expected = training.trial.weights[0];
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double sign = g[i] > 0 ? 1 : -1;
    expected[i] -= 0.01 * sign * (1 - (1 - 0.75) / (1 + 0.75));
  }
  EXPECT_LT(relative_error(value_of(*training.weights, 0), expected), tolerance());
}

}  // namespace weights_test
}  // namespace oracle
