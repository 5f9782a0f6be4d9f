// What the kernel tests do not look at, on the emulated device: memory that comes back, what is
// recorded, buffers.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "microbench/compute/samples_json.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/calibration/calibration_samples.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/emulated_gpu/device.h"
#include "tests/emulated_gpu/memory.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace emulated_test {

using testing::HasSubstr;

/// Forward and backward of one layer, and forward of `then`; its operands are gone when this
/// returns.
void train_once(Backend& backend, const Attributes& attributes,
                std::string_view kind = "convolution", const Extents& input = {1, 12, 1, 9, 9},
                const Layer* then = nullptr) {
  const OneLayer one(kind, input, attributes);
  LocalLayer layer = one.whole(2);
  layer.then = then;
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
  train_once(*backend, {{"features", 12}, {"kernel", 3}, {"pad", 1}});
  train_once(*backend, {{"features", 16}, {"kernel", 3}}, "convolution", {1, 16, 1, 9, 9});
  EXPECT_EQ(backend->memory().now, 0);
  EXPECT_GT(backend->memory().peak, 0);
}

TEST(EmulatedGpu, RecordsEachChoiceOnce) {
  const auto backend = emulated_gpu_backend();
  for (int i = 0; i < 2; ++i) train_once(*backend, {{"features", 12}, {"kernel", 3}, {"pad", 1}});
  const std::vector<Choice> choices = backend->choices();
  ASSERT_EQ(choices.size(), 3U);
  const Choice forward{
      "layer", Pass::forward, "cudnnConvolutionForward", choices[0].shapes, 4, 1000, 0.75, true};
  EXPECT_EQ(choices[0], forward);
  EXPECT_THAT(choices[0].shapes, HasSubstr("2x12x1x9x9 to 2x12x1x9x9, window 1x3x3"));
  EXPECT_EQ(choices[1].pass, Pass::backward_data);
  EXPECT_EQ(choices[2].operation, "cudnnConvolutionBackwardFilter");
}

/// Of channels in eights it has engines, which are faster.
TEST(EmulatedGpu, RecordsEnginesOfTheGraphApi) {
  const auto backend = emulated_gpu_backend("bf16");
  train_once(*backend, {{"features", 16}, {"kernel", 3}}, "convolution", {1, 8, 1, 9, 9});
  const std::vector<Choice> choices = backend->choices();
  ASSERT_EQ(choices.size(), 3U);
  for (const Choice& choice : choices) {
    EXPECT_EQ(choice.operation, "cudnnBackendExecute");
    EXPECT_EQ(choice.algorithm, 13);
    EXPECT_EQ(choice.workspace, 1000);
    EXPECT_TRUE(choice.deterministic);
    EXPECT_GT(choice.seconds, 0);
  }
  EXPECT_EQ(choices[0].pass, Pass::forward);
  EXPECT_EQ(choices[1].pass, Pass::backward_data);
  EXPECT_EQ(choices[2].pass, Pass::backward_weights);
}

TEST(EmulatedGpu, TurnsTheOrderWhereNoAlgorithmTakesChannelsLast) {
  const auto backend = emulated_gpu_backend();
  train_once(*backend, {{"features", 12}, {"kernel", 3}, {"groups", 4}});
  for (const Choice& choice : backend->choices()) {
    EXPECT_THAT(choice.shapes, HasSubstr("channels first"));
  }
}

TEST(EmulatedGpu, SaysWhichPassOfATransposedConvolutionAChoiceIsOf) {
  const auto backend = emulated_gpu_backend();
  train_once(*backend, {{"features", 12}, {"kernel", 2}, {"stride", 2}}, "transposed_convolution");
  const std::vector<Choice> choices = backend->choices();
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[0].pass, Pass::forward);
  EXPECT_EQ(choices[0].operation, "cudnnConvolutionBackwardData");
  EXPECT_EQ(choices[1].pass, Pass::backward_data);
  EXPECT_EQ(choices[1].operation, "cudnnConvolutionForward");
}

/// cuBLASLt's are estimated by its heuristic, and not measured.
TEST(EmulatedGpu, RecordsAlgorithmsOfMatrixProducts) {
  const auto backend = emulated_gpu_backend();
  train_once(*backend, {{"features", 24}}, "dense", {1, 16, 1, 1, 1});
  const std::vector<Choice> choices = backend->choices();
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[0], (Choice{"layer", Pass::forward, "cublasLtMatmul",
                                "2x16 and 24x16 transposed", 7, 512}));
  EXPECT_EQ(choices[2].pass, Pass::backward_weights);
}

/// What is chosen for the forward pass of a layer with a rectifier behind it.
Choice choice_of_rectified(std::string_view kind, const Extents& input,
                           const Attributes& attributes) {
  const OneLayer relu("activation", input);
  const auto backend = emulated_gpu_backend();
  train_once(*backend, attributes, kind, input, &relu.layer());
  return backend->choices().front();
}

/// The fastest algorithm knows no rectifier, and over volumes none does.
TEST(EmulatedGpu, RecordsByWhichCallALayerIsRectified) {
  const Attributes attributes = {{"features", 12}, {"kernel", 3}, {"pad", 1}};
  const Choice planar = choice_of_rectified("convolution", {1, 12, 1, 9, 9}, attributes);
  EXPECT_EQ(planar.operation, "cudnnConvolutionBiasActivationForward");
  EXPECT_EQ(planar.algorithm, 1);
  EXPECT_EQ(planar.pass, Pass::forward);
  const Choice volume = choice_of_rectified("convolution", {1, 12, 4, 9, 9}, attributes);
  EXPECT_EQ(volume.operation, "cudnnConvolutionForward");
  EXPECT_EQ(volume.algorithm, 4);
  EXPECT_THAT(volume.shapes, testing::Not(HasSubstr("channels first")));
  const Choice dense = choice_of_rectified("dense", {1, 16, 1, 1, 1}, {{"features", 24}});
  EXPECT_EQ(dense.shapes, "2x16 and 24x16 transposed, rectified");
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

/// As the values were, whatever the host writes next; its memory is not counted.
TEST(EmulatedGpu, WhatIsSentAheadLiesOnTheDevice) {
  for (const std::string_view math : {"fp32", "bf16"}) {
    const auto backend = emulated_gpu_backend(math);
    const Extents extents{1, 2, 1, 1, 2};
    const auto tensor = backend->tensor(extents);
    const std::int64_t before = backend->memory().now;
    const auto buffer = backend->host_buffer(16);
    const std::vector<float> values = {1, 2, 3, 4}, later(4, 7);
    buffer->write(values.data(), 16);
    const void* ahead = buffer->sent_ahead();
    EXPECT_TRUE(emulated::is_device(ahead));
    EXPECT_EQ(backend->memory().now, before);
    backend->synchronize();
    buffer->write(later.data(), 16);
    std::vector<float> read(4);
    tensor->write({{0, 0, 0, 0, 0}, extents}, static_cast<const float*>(ahead));
    tensor->read({{0, 0, 0, 0, 0}, extents}, read.data());
    EXPECT_EQ(read, values);
    EXPECT_EQ(buffer->sent_ahead(), ahead);
  }
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

/// While one lives, the device says that it is of another compute capability.
class SaysToBe {
 public:
  SaysToBe(int major, int minor) : before_(emulated::capability()) {
    emulated::capability() = {major, minor};
  }
  ~SaysToBe() { emulated::capability() = before_; }
  SaysToBe(const SaysToBe&) = delete;
  SaysToBe& operator=(const SaysToBe&) = delete;

 private:
  emulated::Capability before_;
};

TEST(EmulatedGpu, RefusesBf16BelowAmpere) {
  const SaysToBe turing(7, 5);
  try {
    emulated_gpu_backend("bf16");
    FAIL() << "it computes in bf16";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(
        error.what(),
        "this GPU, emulated GPU of compute capability 7.5, does not compute in bf16; train "
        "with --precision fp16");
  }
  for (const std::string_view precision : {"fp32", "fp16"}) {
    EXPECT_EQ(emulated_gpu_backend(precision)->precision(), precision);
  }
}

TEST(EmulatedGpu, ComputesInBf16SinceAmpere) {
  const SaysToBe ampere(8, 0);
  EXPECT_EQ(emulated_gpu_backend("bf16")->precision(), "bf16");
}

TEST(EmulatedGpu, SamplesOfKernelsAreOfItsPrecision) {
  SessionPlan plan;
  plan.rule = {3, 0, 10, 1e-9};
  plan.rotation = {1 << 20, 2};
  const std::vector<LayerCase> cases = {parse_layer_case("dense 2:16 features=8"),
                                        parse_layer_case("embedding 2:1x4 entries=300 features=8"),
                                        parse_layer_case("softmax_loss 2:8")};
  for (const std::string_view precision : {"fp32", "tf32", "bf16", "fp16"}) {
    const auto backend = emulated_gpu_backend(precision);
    const SessionResult result = measure(*backend, cases, plan);
    EXPECT_TRUE(result.failures.empty());
    const std::string text = samples_json({}, result);
    const CalibrationSamples read = read_calibration_samples(json::parse(text, "s.json"));
    EXPECT_EQ(read.kernels.size(), 11U);
    for (const KernelSample& sample : read.kernels) EXPECT_EQ(name_of(sample.type), precision);
  }
}

/// But for recurrent layers and those of transformers, which the processor alone trains.
TEST(EmulatedGpu, HasAKernelOfEveryKindThatComputesSomething) {
  const std::set<std::string_view> of_processors = {
      "rms_norm",         "rotary",     "attention",      "causal_convolution",
      "linear_attention", "gate",       "dispatch",       "expert_dense",
      "combine",          "added_rows", "prepended_rows", "head_concat",
      "recurrent"};
  std::vector<std::string> kinds, kernels;
  for (const Kind* kind : all_kinds()) {
    const bool left_out = kind->name == "input" || kind->priced_only;
    if (!left_out && !of_processors.contains(kind->name)) kinds.emplace_back(kind->name);
  }
  for (const gpu::KernelRow& row : gpu::all_kernels()) kernels.emplace_back(row.kind);
  EXPECT_THAT(kernels, testing::UnorderedElementsAreArray(kinds));
}

TEST(EmulatedGpu, RunsNoLossOverAVocabularyInParts) {
  const OneLayer one("softmax_loss", {1, 16, 1, 1, 5});
  LocalLayer layer = one.whole(2);
  layer.inputs.push_back({2, 1, 1, 1, 5});
  EXPECT_NO_THROW(emulated_gpu_backend()->kernel(layer));
  layer.inputs[0].channels = 8;
  EXPECT_THROW(emulated_gpu_backend()->kernel(layer), InputError);
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

/// Of the host's memory that is pinned; of other memory it is there at once.
TEST(EmulatedGpu, AResultIsThereOnceSomebodyWaited) {
  const auto backend = emulated_gpu_backend();
  const Extents extents{1, 1, 1, 1, 4};
  const Box all{{0, 0, 0, 0, 0}, extents};
  const auto tensor = backend->tensor(extents);
  const auto given = backend->host_buffer(16), taken = backend->host_buffer(16);
  auto* from = static_cast<float*>(given->data());
  auto* to = static_cast<float*>(taken->data());
  std::fill_n(from, 4, 7.0F);
  std::fill_n(to, 4, 0.0F);
  tensor->write(all, from);
  tensor->read(all, to);
  EXPECT_EQ(to[3], 0);
  backend->synchronize();
  EXPECT_EQ(to[3], 7);
  std::vector<float> pageable(4);
  tensor->read(all, pageable.data());
  EXPECT_EQ(pageable[3], 7);
}

TEST(EmulatedGpu, MarksAreReachedWithTheWorkBeforeThem) {
  const auto backend = emulated_gpu_backend();
  const auto stopwatch = backend->stopwatch();
  const auto large = backend->tensor({1, 1, 1, 512, 1024});
  const Mark first = stopwatch->mark();
  backend->add(*large, *large);
  const Mark second = stopwatch->mark();
  const Mark third = stopwatch->mark();
  EXPECT_THROW(stopwatch->seconds(first, second), EnvironmentError);
  backend->synchronize();
  EXPECT_GT(stopwatch->seconds(first, second), 10 * stopwatch->seconds(second, third));
  stopwatch->reset();
  EXPECT_EQ(stopwatch->mark(), first);
}

/// Once, and the kernel may go on.
TEST(EmulatedGpu, AFaultIsToldOnce) {
  const OneLayer one("softmax_loss", {1, 2, 1, 1, 1});
  LocalLayer layer = one.whole(1);
  layer.inputs.push_back({});
  const auto backend = emulated_gpu_backend();
  const auto kernel = backend->kernel(layer);
  const auto scores = tensor_of(*backend, reference::Values(layer.inputs[0]));
  const auto output = backend->fp32_tensor({});
  reference::Values target(layer.inputs[1]);
  Call call;
  call.output = output.get();
  for (const double wanted : {2.0, 1.0}) {
    target.of = {wanted};
    const auto targets = fp32_tensor_of(*backend, target);
    const std::vector<Tensor*> inputs = {scores.get(), targets.get()};
    call.inputs = inputs;
    kernel->forward(call);
    if (wanted == 2) {
      EXPECT_THROW(backend->synchronize(), InputError);
    }
    EXPECT_NO_THROW(backend->synchronize());
  }
}

TEST(EmulatedGpuDeathTest, TheHostCannotReachTheDevicesMemory) {
  const auto backend = emulated_gpu_backend();
  const auto buffer = backend->buffer(16);
  EXPECT_DEATH(static_cast<volatile float*>(buffer->data())[0] = 1, "");
}

}  // namespace emulated_test
}  // namespace oracle
