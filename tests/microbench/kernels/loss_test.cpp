#include <cmath>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace kernels_loss_test {

using reference::Trial;
using reference::Values;

/// A loss with its targets as second input: a class of `classes` at each position, or values.
Trial loss_trial(const OneLayer& one, std::int64_t samples, std::int64_t classes) {
  LocalLayer layer = one.whole(samples);
  Extents targets = layer.inputs[0];
  if (classes > 0) targets.channels = 1;
  layer.inputs.push_back(targets);
  Trial trial = random_trial(layer);
  trial.gradient_scale = 0.125;
  if (classes == 0) return trial;
  for (double& target : trial.inputs[1].of) {
    target = std::floor((target + 1) / 2 * static_cast<double>(classes));
  }
  return trial;
}

const Extents kShapes[] = {{1, 10, 1, 1, 1}, {1, 16, 1, 3, 4}, {1, 3, 1, 5, 2}, {1, 5, 2, 2, 3}};

class Losses : public testing::TestWithParam<Extents> {};

TEST_P(Losses, SoftmaxMatchesReference) {
  const OneLayer one("softmax_loss", GetParam());
  const Trial trial = loss_trial(one, 3, GetParam().channels);
  expect_like_reference(trial);
  expect_reference_consistent(trial);
}

TEST_P(Losses, MeanSquaredMatchesReference) {
  const OneLayer one("mean_squared_loss", GetParam());
  const Trial trial = loss_trial(one, 3, 0);
  expect_like_reference(trial);
  expect_reference_consistent(trial);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Losses, testing::ValuesIn(kShapes));

/// One rank's classes of a loss over a vocabulary, with a kernel of its own.
struct PartOfLoss {
  PartOfLoss(const Trial& whole, std::int64_t first, std::int64_t classes) : trial(whole) {
    trial.layer.first_row = first;
    trial.layer.rows = trial.layer.inputs[0].channels = classes;
    trial.inputs[0] = Values(trial.layer.inputs[0]);
    for (std::int64_t n = 0; n < trial.layer.inputs[0].samples; ++n) {
      for (std::int64_t c = 0; c < classes; ++c) {
        for (std::int64_t p = 0; p < trial.inputs[0].positions(); ++p) {
          trial.inputs[0].at(n, c, p) = whole.inputs[0].at(n, first + c, p);
        }
      }
    }
    x = tensor_of(*backend, trial.inputs[0]);
    targets = fp32_tensor_of(*backend, trial.inputs[1]);
    loss = backend->fp32_tensor(trial.layer.output);
    gradient = backend->tensor(trial.layer.inputs[0]);
    kernel = backend->kernel(trial.layer);
    saved = kernel->saved();
    inputs = {x.get(), targets.get()};
    gradients = {gradient.get(), nullptr};
    call.inputs = inputs;
    call.input_gradients = gradients;
    call.output = loss.get();
    call.saved = saved.get();
    call.gradient_scale = trial.gradient_scale;
  }

  std::unique_ptr<Backend> backend = make_cpu_backend(1);
  Trial trial;
  std::unique_ptr<Tensor> x, targets, loss, gradient;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Saved> saved;
  std::vector<Tensor*> inputs, gradients;
  Call call;
};

/// 7 and 9 of 16 classes: scores of which exp overflows fp32 are none too large.
TEST(LossesInParts, MatchReferenceTogether) {
  const OneLayer one("softmax_loss", {1, 16, 1, 1, 5});
  Trial whole = loss_trial(one, 3, 16);
  for (double& score : whole.inputs[0].of) score = std::round(score * 8192) / 8192 + 256;
  PartOfLoss parts[] = {{whole, 0, 7}, {whole, 7, 9}};
  Statistics statistics;
  for (int round = 0; round < 3; ++round) {
    for (PartOfLoss& part : parts) part.call.statistics = round == 0 ? nullptr : &statistics;
    const auto a = parts[0].kernel->statistics(parts[0].call, Pass::forward);
    const auto b = parts[1].kernel->statistics(parts[1].call, Pass::forward);
    for (std::size_t i = 0; i < a.size(); ++i) {
      statistics.sums.push_back(round == 0 ? std::max(a[i], b[i]) : a[i] + b[i]);
    }
  }
  Values loss(whole.layer.output), gradient(whole.layer.inputs[0]);
  for (PartOfLoss& part : parts) {
    part.call.statistics = &statistics;
    part.kernel->forward(part.call);
    part.kernel->backward_data(part.call);
    const Values own = values_of(*part.loss), slopes = values_of(*part.gradient);
    for (std::int64_t n = 0; n < 3; ++n) {
      loss.at(n, 0, 0) += own.at(n, 0, 0);
      for (std::int64_t c = 0; c < slopes.extents.channels; ++c) {
        for (std::int64_t p = 0; p < 5; ++p) {
          gradient.at(n, part.trial.layer.first_row + c, p) = slopes.at(n, c, p);
        }
      }
    }
  }
  EXPECT_LT(relative_error(loss.of, reference::forward(whole).of), 1e-5);
  EXPECT_LT(relative_error(gradient.of, reference::backward(whole).inputs[0].of), 1e-5);
}

Values softmax_loss_of(const std::vector<double>& scores, double target) {
  const auto classes = static_cast<std::int64_t>(scores.size());
  const OneLayer one("softmax_loss", {1, classes, 1, 1, 1});
  const auto backend = backend_under_test();
  LocalLayer layer = one.whole(1);
  layer.inputs.push_back({});
  Values x(layer.inputs[0]);
  x.of = scores;
  Values t(layer.inputs[1]);
  t.of = {target};
  const auto values = tensor_of(*backend, x);
  const auto targets = fp32_tensor_of(*backend, t);
  const auto output = backend->fp32_tensor({});
  const std::vector<Tensor*> inputs = {values.get(), targets.get()};
  Call call;
  call.inputs = inputs;
  call.output = output.get();
  const auto kernel = backend->kernel(layer);
  kernel->forward(call);
  backend->synchronize();
  return values_of(*output);
}

TEST(SoftmaxLoss, EqualScoresCostTheLogarithmOfTheClasses) {
  EXPECT_NEAR(softmax_loss_of(std::vector<double>(1000, 3.0), 17).of[0], std::log(1000.0), 1e-6);
}

TEST(SoftmaxLoss, LargeScoresDoNotOverflow) {
  EXPECT_NEAR(softmax_loss_of({8192, 0}, 1).of[0], 8192, 1e-2);
}

TEST(SoftmaxLoss, RefusesAClassThatIsNone) {
  EXPECT_THROW(softmax_loss_of({0, 0}, 2), InputError);
  EXPECT_THROW(softmax_loss_of({0, 0}, -1), InputError);
  EXPECT_THROW(softmax_loss_of({0, 0}, NAN), InputError);
}

TEST(SoftmaxLoss, SaysWhichClassThereIsNoneOf) {
  try {
    softmax_loss_of({0, 0}, 7);
    FAIL() << "it took a class that is none";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("layer: a sample's class is 7"), std::string::npos)
        << error.what();
  }
}

}  // namespace kernels_loss_test
}  // namespace oracle
