// What the kernel tests do not look at, on the emulated device: memory that comes back, what is
// recorded, buffers.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/compute/samples_json.h"
#include "microbench/kernels/gpu/device/kernels.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/calibration/calibration_samples.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Forward and backward of one convolution; its operands are gone when this returns.
void train_once(Backend& backend, const Attributes& attributes) {
  const OneLayer one("convolution", {1, 16, 1, 9, 9}, attributes);
  const LocalLayer layer = one.whole(2);
  const auto x = backend.tensor(layer.inputs[0]);
  const auto dx = backend.tensor(layer.inputs[0]);
  const auto y = backend.tensor(layer.output);
  const auto weights = backend.weights(layer);
  const auto kernel = backend.kernel(layer);
  const std::vector<float> zeros(static_cast<std::size_t>(layer.inputs[0].elements()));
  x->unpack({{0, 0, 0, 0, 0}, layer.inputs[0]}, zeros.data());
  const std::vector<Tensor*> inputs = {x.get()};
  const std::vector<Tensor*> gradients = {dx.get()};
  Call call;
  call.inputs = inputs;
  call.output = y.get();
  call.output_gradient = y.get();
  call.input_gradients = gradients;
  call.weights = weights.get();
  kernel->forward(call);
  kernel->backward_data(call);
  kernel->backward_weights(call);
}

TEST(EmulatedGpu, AllMemoryComesBack) {
  const auto backend = emulated_gpu_backend();
  train_once(*backend, {{"features", 16}, {"kernel", 3}, {"pad", 1}});
  EXPECT_EQ(backend->memory().now, 0);
  EXPECT_GT(backend->memory().peak, 0);
}

TEST(EmulatedGpu, RecordsEachChoiceOnce) {
  const auto backend = emulated_gpu_backend();
  for (int i = 0; i < 2; ++i) train_once(*backend, {{"features", 16}, {"kernel", 3}, {"pad", 1}});
  EXPECT_THAT(
      backend->choices(),
      testing::ElementsAre(
          AllOf(HasSubstr("cudnnConvolutionForward"),
                HasSubstr("algorithm 1, workspace 1000 bytes, 1.000 ms, deterministic")),
          HasSubstr("cudnnConvolutionBackwardData"), HasSubstr("cudnnConvolutionBackwardFilter")));
}

TEST(EmulatedGpu, TurnsTheOrderWhereNoAlgorithmTakesChannelsLast) {
  const auto backend = emulated_gpu_backend();
  train_once(*backend, {{"features", 16}, {"kernel", 3}, {"groups", 4}});
  EXPECT_THAT(backend->choices(), testing::Each(HasSubstr("channels first")));
}

TEST(EmulatedGpu, BuffersAreReadAndWrittenThroughThem) {
  const auto backend = emulated_gpu_backend();
  const auto buffer = backend->buffer(16);
  const std::vector<float> values = {1, 2, 3, 4};
  buffer->write(values.data(), 16);
  buffer->zero(8, 4);
  std::vector<float> read(4);
  buffer->read(read.data(), 16);
  EXPECT_THAT(read, testing::ElementsAre(1, 2, 0, 4));
}

TEST(EmulatedGpu, AKernelTakesAndGivesMemoryOfTheDevice) {
  const auto backend = emulated_gpu_backend();
  const Extents extents{1, 2, 1, 1, 3};
  const auto tensor = backend->tensor(extents);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  tensor->unpack({{0, 0, 0, 0, 0}, extents}, values.data());
  const auto buffer = backend->buffer(12);
  tensor->pack({{0, 1, 0, 0, 0}, {1, 1, 1, 1, 3}}, buffer->data());
  tensor->accumulate({{0, 0, 0, 0, 0}, {1, 1, 1, 1, 3}}, buffer->data());
  std::vector<float> read(6);
  tensor->pack({{0, 0, 0, 0, 0}, extents}, read.data());
  EXPECT_THAT(read, testing::ElementsAre(5, 7, 9, 4, 5, 6));
}

/// As a plan counts them (oracle/plan/training.h): weights in fp32 and a copy of two bytes, two
/// bytes of gradients, and four of momentum once there was a step.
TEST(EmulatedGpu, OfBf16HoldsWeightsAsThePlanCountsThem) {
  const auto backend = emulated_gpu_backend("bf16");
  const OneLayer one("dense", {1, 64, 1, 1, 1}, {{"features", 32}, {"bias", false}});
  const auto weights = backend->weights(one.whole(2));
  EXPECT_EQ(backend->memory().now, 64 * 32 * (4 + 2 + 2));
  backend->update(*weights, {.momentum = 0.9});
  EXPECT_EQ(backend->memory().now, 64 * 32 * (4 + 2 + 2 + 4));
}

TEST(EmulatedGpu, OfBf16KeepsTargetsAndLossesInFp32) {
  const auto backend = emulated_gpu_backend("bf16");
  const auto target = backend->fp32_tensor({});
  const float label = 999;
  target->write({{0, 0, 0, 0, 0}, {}}, &label);
  float read = 0;
  target->pack({{0, 0, 0, 0, 0}, {}}, &read);
  EXPECT_EQ(read, 999);
}

TEST(EmulatedGpu, SaysInWhichArithmeticItComputes) {
  EXPECT_THAT(emulated_gpu_backend("bf16")->library(), testing::EndsWith(", bf16"));
  EXPECT_THAT(emulated_gpu_backend()->library(), testing::EndsWith(", fp32"));
}

TEST(EmulatedGpu, SamplesOfKernelsAreOfItsPrecision) {
  SessionPlan plan;
  plan.rule = {3, 0, 10, 1e-9};
  plan.rotation = {1 << 20, 2};
  const std::vector<LayerCase> cases = {
      parse_layer_case("dense 2:16 features=8"),
      parse_layer_case("embedding 2:1x1x4 entries=300 features=8"),
      parse_layer_case("softmax_loss 2:8")};
  for (const std::string_view precision : {"fp32", "tf32", "bf16", "fp16"}) {
    const auto backend = emulated_gpu_backend(precision);
    const SessionResult result = measure(*backend, cases, plan);
    EXPECT_TRUE(result.failures.empty());
    const std::string text = samples_json({}, result);
    const CalibrationSamples read = read_calibration_samples(json::parse(text, "s.json"));
    EXPECT_EQ(read.kernels.size(), 8U);
    for (const KernelSample& sample : read.kernels) EXPECT_EQ(name_of(sample.type), precision);
  }
}

TEST(EmulatedGpu, HasAKernelOfEveryKindThatComputesSomething) {
  std::vector<std::string> kinds, kernels;
  for (const Kind* kind : all_kinds()) {
    if (kind->name != "input" && kind->name != "opaque") kinds.emplace_back(kind->name);
  }
  for (const gpu::KernelRow& row : gpu::all_kernels()) kernels.emplace_back(row.kind);
  EXPECT_THAT(kernels, testing::UnorderedElementsAreArray(kinds));
}

/// Of 700 rows of 5 numbers; added to what is there.
TEST(EmulatedGpu, GradientsOfATableAreAddedUp) {
  const OneLayer one("embedding", {1, 1, 1, 1, 7}, {{"entries", 5}, {"features", 2}});
  const LocalLayer layer = one.whole(100);
  const auto backend = emulated_gpu_backend();
  const auto kernel = backend->kernel(layer);
  const auto weights = backend->weights(layer);
  reference::Values numbers(layer.inputs[0]), ones(layer.output);
  for (std::size_t i = 0; i < numbers.of.size(); ++i) numbers.of[i] = static_cast<double>(i % 4);
  ones.of.assign(ones.of.size(), 1);
  const auto x = fp32_tensor_of(*backend, numbers);
  const auto dy = tensor_of(*backend, ones);
  const std::vector<Tensor*> inputs = {x.get()};
  Call call;
  call.inputs = inputs;
  call.output_gradient = dy.get();
  call.weights = weights.get();
  weights->begin_step();
  for (const double sum : {175, 350}) {
    kernel->backward_weights(call);
    EXPECT_THAT(gradient_of(*weights, 0),
                testing::ElementsAre(sum, sum, sum, sum, sum, sum, sum, sum, 0, 0));
  }
}

TEST(EmulatedGpuDeathTest, TheHostCannotReachTheDevicesMemory) {
  const auto backend = emulated_gpu_backend();
  const auto buffer = backend->buffer(16);
  EXPECT_DEATH(static_cast<volatile float*>(buffer->data())[0] = 1, "");
}

}  // namespace
}  // namespace oracle
