#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace kernels_batch_norm_test {

using reference::Trial;
using reference::Values;

const Extents kShapes[] = {
    {1, 16, 1, 5, 7}, {1, 32, 1, 1, 1}, {1, 5, 1, 6, 3}, {1, 21, 2, 3, 4}, {1, 1, 1, 20, 20}};

class BatchNorm : public testing::TestWithParam<Extents> {};

TEST_P(BatchNorm, MatchesReference) {
  const OneLayer one("batch_norm", GetParam());
  expect_like_reference(random_trial(one.whole(4)));
}

TEST_P(BatchNorm, WithoutScaleMatchesReference) {
  const OneLayer one("batch_norm", GetParam(), {{"affine", false}});
  expect_like_reference(random_trial(one.whole(4)));
}

TEST_P(BatchNorm, ReferenceIsConsistent) {
  const OneLayer one("batch_norm", GetParam());
  expect_reference_consistent(random_trial(one.whole(3)));
}

/// One rank's share of a trial: `count` samples from `begin` on.
Values samples_of(const Values& all, std::int64_t begin, std::int64_t count) {
  Extents extents = all.extents;
  extents.samples = count;
  Values part(extents);
  const auto each = static_cast<std::ptrdiff_t>(all.of.size()) / all.extents.samples;
  std::copy_n(all.of.begin() + begin * each, count * each, part.of.begin());
  return part;
}

struct Rank {
  std::unique_ptr<Backend> backend = backend_under_test();
  std::unique_ptr<Tensor> x, y, dy, dx;
  std::unique_ptr<Weights> weights;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Saved> saved;
  std::vector<Tensor*> inputs, gradients;
  Call call;

  Rank(const OneLayer& one, const Trial& trial, std::int64_t begin, std::int64_t count)
      : x(tensor_of(*backend, samples_of(trial.inputs[0], begin, count))),
        y(backend->tensor(x->extents())),
        dy(tensor_of(*backend, samples_of(trial.output_gradient, begin, count))),
        dx(backend->tensor(x->extents())),
        weights(backend->weights(one.whole(count))),
        kernel(backend->kernel(one.whole(count))),
        saved(kernel->saved()) {
    write_weights(*weights, trial.weights);
    inputs = {x.get()};
    gradients = {dx.get()};
    call.inputs = inputs;
    call.output = y.get();
    call.output_gradient = dy.get();
    call.input_gradients = gradients;
    call.weights = weights.get();
    call.saved = saved.get();
  }
};

Statistics summed(std::vector<Rank>& ranks, Pass pass, double count) {
  Statistics total;
  total.count = count;
  for (Rank& rank : ranks) {
    const std::vector<float> own = rank.kernel->statistics(rank.call, pass);
    total.sums.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) total.sums[i] += own[i];
  }
  return total;
}

TEST_P(BatchNorm, OverTwoRanksEqualsTheWholeBatch) {
  const OneLayer one("batch_norm", GetParam());
  const Trial trial = random_trial(one.whole(5));
  const auto values = static_cast<double>(5 * trial.inputs[0].positions());
  std::vector<Rank> ranks;
  ranks.reserve(2);
  ranks.emplace_back(one, trial, 0, 2);
  ranks.emplace_back(one, trial, 2, 3);

  const Statistics forward = summed(ranks, Pass::forward, values);
  std::vector<double> y;
  for (Rank& rank : ranks) {
    rank.call.statistics = &forward;
    rank.kernel->forward(rank.call);
    const Values part = values_of(*rank.y);
    y.insert(y.end(), part.of.begin(), part.of.end());
  }
  EXPECT_LT(relative_error(y, reference::forward(trial).of), tolerance());

  const Statistics backward = summed(ranks, Pass::backward_data, values);
  std::vector<double> dx;
  std::vector<std::vector<double>> weights(2);
  for (Rank& rank : ranks) {
    rank.call.statistics = &backward;
    rank.weights->begin_step();
    rank.kernel->backward_data(rank.call);
    const Values part = values_of(*rank.dx);
    dx.insert(dx.end(), part.of.begin(), part.of.end());
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<double> own = gradient_of(*rank.weights, i);
      weights[i].resize(own.size());
      for (std::size_t c = 0; c < own.size(); ++c) weights[i][c] += own[c];
    }
  }
  const reference::Gradients expected = reference::backward(trial);
  EXPECT_LT(relative_error(dx, expected.inputs[0].of), tolerance());
  EXPECT_LT(relative_error(weights[0], expected.weights[0]), tolerance());
  EXPECT_LT(relative_error(weights[1], expected.weights[1]), tolerance());
}

INSTANTIATE_TEST_SUITE_P(Shapes, BatchNorm, testing::ValuesIn(kShapes));

}  // namespace kernels_batch_norm_test
}  // namespace oracle
