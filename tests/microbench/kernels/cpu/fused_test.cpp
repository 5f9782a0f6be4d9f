#include "microbench/kernels/cpu/fused.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace {

struct Case {
  const char* name;
  const char* kind;
  std::int64_t samples;
  Extents input;
  Attributes attributes;
};

/// What the layer makes and what it makes of its gradients, forward with the rectifier or without.
struct Made {
  std::vector<double> output, input_gradient, weight_gradient;
};

Made run(const LocalLayer& local, const reference::Trial& trial, bool rectified) {
  const auto backend = make_cpu_backend(1);
  const auto input = tensor_of(*backend, trial.inputs[0]);
  const auto output = backend->tensor(local.output);
  const auto output_gradient = tensor_of(*backend, trial.output_gradient);
  const auto input_gradient = backend->tensor(local.inputs[0]);
  const auto weights = backend->weights(local);
  write_weights(*weights, trial.weights);
  const OneLayer relu("activation", local.output);
  LocalLayer fused = local;
  if (rectified) fused.then = &relu.layer();
  const auto kernel = backend->kernel(fused);
  Tensor* const inputs[] = {input.get()};
  Tensor* const gradients[] = {input_gradient.get()};
  Call call;
  call.inputs = inputs;
  call.output = output.get();
  call.weights = weights.get();
  kernel->forward(call);
  call.output_gradient = output_gradient.get();
  call.input_gradients = gradients;
  weights->begin_step();
  kernel->backward_data(call);
  kernel->backward_weights(call);
  return {values_of(*output).of, values_of(*input_gradient).of, gradient_of(*weights, 0)};
}

class Fused : public testing::TestWithParam<Case> {};

TEST_P(Fused, LeavesTheRectifiedOutputAndTheGradientsOfTheLayerAlone) {
  const Case& c = GetParam();
  const OneLayer one(c.kind, c.input, c.attributes);
  const LocalLayer local = one.whole(c.samples);
  const reference::Trial trial = random_trial(local);
  const Made apart = run(local, trial, false), fused = run(local, trial, true);
  std::vector<double> rectified = apart.output;
  for (double& value : rectified) value = std::max(value, 0.0);
  EXPECT_NE(rectified, apart.output);
  EXPECT_LE(relative_error(fused.output, rectified), 1e-6);
  EXPECT_LE(relative_error(fused.input_gradient, apart.input_gradient), 1e-6);
  EXPECT_LE(relative_error(fused.weight_gradient, apart.weight_gradient), 1e-6);
}

const Case kCases[] = {
    {"blocked",
     "convolution",
     2,
     {1, 32, 1, 11, 13},
     {{"features", 32}, {"kernel", 3}, {"pad", 1}}},
    {"first",
     "convolution",
     2,
     {1, 3, 1, 23, 23},
     {{"features", 16}, {"kernel", 7}, {"stride", 2}, {"bias", false}}},
    {"odd", "convolution", 3, {1, 21, 1, 9, 8}, {{"features", 33}, {"kernel", 3}, {"pad", 1}}},
    {"depthwise",
     "convolution",
     2,
     {1, 32, 1, 9, 9},
     {{"features", 32}, {"kernel", 3}, {"groups", 32}, {"pad", 1}}},
    {"grouped",
     "convolution",
     2,
     {1, 12, 1, 9, 9},
     {{"features", 24}, {"kernel", 3}, {"groups", 3}}},
    {"volume", "convolution", 2, {1, 4, 6, 7, 8}, {{"features", 16}, {"kernel", 3}, {"pad", 1}}},
    {"dense", "dense", 3, {1, 10, 1, 1, 1}, {{"features", 7}}},
    {"dense_blocked", "dense", 4, {1, 32, 1, 1, 1}, {{"features", 64}, {"bias", false}}},
};

INSTANTIATE_TEST_SUITE_P(Shapes, Fused, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FusedKernels, AreThoseOfContractionsWithARectifier) {
  const auto backend = make_cpu_backend(1);
  const OneLayer convolution("convolution", {1, 4, 1, 6, 6}, {{"features", 4}, {"kernel", 3}});
  const OneLayer pool("pool", {1, 4, 1, 6, 6}, {{"kernel", 2}});
  const OneLayer relu("activation", {1, 4, 1, 4, 4});
  const OneLayer silu("activation", {1, 4, 1, 4, 4}, {{"function", std::string("silu")}});
  const auto fuses = [&](const OneLayer& first, const OneLayer& second) {
    LocalLayer local = first.whole(1);
    local.then = &second.layer();
    return backend->fuses(local);
  };
  EXPECT_TRUE(fuses(convolution, relu));
  EXPECT_FALSE(fuses(convolution, silu));
  EXPECT_FALSE(fuses(pool, relu));
}

}  // namespace
}  // namespace oracle
