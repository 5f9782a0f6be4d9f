#include <cmath>
#include <gtest/gtest.h>

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
