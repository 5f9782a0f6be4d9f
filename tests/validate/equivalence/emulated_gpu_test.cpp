// The executor on the GPU's kernels, whose memory it must not touch: distributed runs equal the
// serial one on a device that is none (tests/emulated_gpu/README.md).

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "microbench/kernels/gpu/device/runtime/parallel.h"
#include "oracle/base/error.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/networks.h"
#include "tests/validate/on_the_device.h"
#include "tests/validate/runs.h"
#include "validate/equivalence/solo.h"

namespace oracle {
namespace equivalence_emulated_gpu_test {

void expect_equal(const Graph& graph, std::string_view strategy,
                  RunOptions options = options_in("fp32")) {
  const Outcome outcome = run_both(graph, strategy, options);
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy;
  EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
  for (const ParameterError& error : outcome.check->errors) {
    EXPECT_LE(error.relative, kFp32Rounding.equal) << strategy << ": " << error.name;
  }
  EXPECT_EQ(outcome.unplanned_bytes, 0) << strategy;
}

using Strategies = testing::TestWithParam<std::string_view>;

class ResidualOnEmulatedGpu : public Strategies {};
TEST_P(ResidualOnEmulatedGpu, EqualsTheSerialRun) { expect_equal(residual_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, ResidualOnEmulatedGpu,
                         testing::Values("serial", "data:2", "data:2; batch_norm=synchronized",
                                         "filter:2", "channel:2", "tensor:2", "height:2,width:2",
                                         "pipeline:3", "data:2,height:2"));

class ShortcutOnEmulatedGpu : public Strategies {};
TEST_P(ShortcutOnEmulatedGpu, EqualsTheSerialRun) { expect_equal(shortcut_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, ShortcutOnEmulatedGpu,
                         testing::Values("serial", "serial; fusion=off", "data:2",
                                         "data:2; batch_norm=synchronized", "filter:2", "channel:2",
                                         "tensor:2", "height:2,width:2", "pipeline:3",
                                         "data:2; micro_batches=2"));

class VolumeOnEmulatedGpu : public Strategies {};
TEST_P(VolumeOnEmulatedGpu, EqualsTheSerialRun) { expect_equal(volume_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, VolumeOnEmulatedGpu,
                         testing::Values("depth:2", "data:2,depth:2", "channel:2"));

class AttentionOnEmulatedGpu : public Strategies {};
TEST_P(AttentionOnEmulatedGpu, EqualsTheSerialRun) {
  expect_equal(network_of_file("attention"), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, AttentionOnEmulatedGpu,
                         testing::Values("data:2", "filter:2", "filter:3", "channel:2", "tensor:2",
                                         "height:2,width:2", "pipeline:2"));

class TextOnEmulatedGpu : public Strategies {};
TEST_P(TextOnEmulatedGpu, EqualsTheSerialRun) { expect_equal(network_of_file("text"), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, TextOnEmulatedGpu,
                         testing::Values("data:2; micro_batches=2", "filter:3", "channel:3",
                                         "tensor:2", "width:3", "data:2,pipeline:2"));

/// For networks that take long on a device that is none.
RunOptions short_run() {
  RunOptions options = options_in("fp32");
  options.batch = 2;
  options.steps = 1;
  return options;
}

class TransformerOnEmulatedGpu : public Strategies {};
TEST_P(TransformerOnEmulatedGpu, EqualsTheSerialRun) {
  expect_equal(network_of_file("transformer"), GetParam(), short_run());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, TransformerOnEmulatedGpu,
                         testing::Values("data:2", "tensor:2"));

class DetectorOnEmulatedGpu : public Strategies {};
TEST_P(DetectorOnEmulatedGpu, EqualsTheSerialRun) {
  expect_equal(network_of_file("detector"), GetParam(), short_run());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, DetectorOnEmulatedGpu, testing::Values("data:2", "filter:2"));

/// Precision and strategy.
class InTwoBytes : public testing::TestWithParam<std::tuple<std::string_view, std::string_view>> {
 protected:
  static void expect_equal(const Graph& graph, double rate = 0.01) {
    const auto [precision, strategy] = GetParam();
    RunOptions options = options_in(precision);
    options.rate = rate;
    options.checked_step = 1;
    options.loss_scale.value = 256;  // with which every network's gradients are numbers at once
    const Outcome outcome = run_both(graph, strategy, options);
    ASSERT_TRUE(outcome.check.has_value());
    EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
    EXPECT_LE(outcome.check->loss_error(), outcome.check->allowed_loss_error()) << strategy;
    for (const ParameterError& error : outcome.check->errors) {
      EXPECT_LE(error.relative, error.allowed) << strategy << ": " << error.name;
    }
    EXPECT_NEAR(outcome.sent_bytes, outcome.item_bytes, 8) << strategy;
    EXPECT_EQ(outcome.unplanned_bytes, 0) << strategy;
    EXPECT_EQ(outcome.skipped_steps, 0) << strategy;
  }
};
const auto kTwoBytes = testing::Values("bf16", "fp16");

class ResidualInTwoBytes : public InTwoBytes {};
TEST_P(ResidualInTwoBytes, EqualsTheSerialRun) { expect_equal(residual_network()); }
INSTANTIATE_TEST_SUITE_P(
    Equivalence, ResidualInTwoBytes,
    testing::Combine(kTwoBytes,
                     testing::Values("serial", "data:2", "data:2; batch_norm=synchronized",
                                     "filter:2", "channel:2", "tensor:2", "height:2,width:2",
                                     "pipeline:3", "data:2,height:2")));

class ShortcutInTwoBytes : public InTwoBytes {};
TEST_P(ShortcutInTwoBytes, EqualsTheSerialRun) { expect_equal(shortcut_network()); }
INSTANTIATE_TEST_SUITE_P(
    Equivalence, ShortcutInTwoBytes,
    testing::Combine(kTwoBytes, testing::Values("serial", "serial; fusion=off", "data:2",
                                                "data:2; batch_norm=synchronized", "tensor:2",
                                                "height:2,width:2", "pipeline:3")));

class VolumeInTwoBytes : public InTwoBytes {};
TEST_P(VolumeInTwoBytes, EqualsTheSerialRun) { expect_equal(volume_network(), 0.05); }
INSTANTIATE_TEST_SUITE_P(Equivalence, VolumeInTwoBytes,
                         testing::Combine(kTwoBytes, testing::Values("depth:2", "data:2,depth:2",
                                                                     "channel:2")));

class UnevenInTwoBytes : public InTwoBytes {};
TEST_P(UnevenInTwoBytes, EqualsTheSerialRun) { expect_equal(uneven_network()); }
INSTANTIATE_TEST_SUITE_P(
    Equivalence, UnevenInTwoBytes,
    testing::Combine(kTwoBytes, testing::Values("data:3", "filter:3", "channel:3", "tensor:4",
                                                "height:3,width:2", "data:2,filter:2",
                                                "data:2; micro_batches=2")));

class AttentionInTwoBytes : public InTwoBytes {};
TEST_P(AttentionInTwoBytes, EqualsTheSerialRun) { expect_equal(network_of_file("attention")); }
INSTANTIATE_TEST_SUITE_P(Equivalence, AttentionInTwoBytes,
                         testing::Combine(kTwoBytes,
                                          testing::Values("data:2", "filter:3", "tensor:2",
                                                          "height:2,width:2", "pipeline:2")));

class TextInTwoBytes : public InTwoBytes {};
TEST_P(TextInTwoBytes, EqualsTheSerialRun) { expect_equal(network_of_file("text")); }
INSTANTIATE_TEST_SUITE_P(Equivalence, TextInTwoBytes,
                         testing::Combine(kTwoBytes,
                                          testing::Values("data:2; micro_batches=2", "tensor:2",
                                                          "width:3", "pipeline:2")));

/// Rank 1 keeps its own summand of the first gradient bucket.
class DropsATransfer final : public OnTheDevice {
 public:
  using OnTheDevice::OnTheDevice;
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    const bool drops = rank() == 1 && label == "gradient bucket" && into_ == nullptr;
    if (drops) {
      const gpu::DeviceAccess access;
      into_ = static_cast<std::byte*>(data);
      own_.assign(into_, into_ + count * static_cast<std::int64_t>(element_bytes(type)));
    }
    const Ticket ticket = OnTheDevice::start_all_reduce(group, data, count, type, label);
    if (drops) ticket_ = ticket;
    return ticket;
  }
  void wait(Ticket ticket) override {
    OnTheDevice::wait(ticket);
    if (into_ == nullptr || ticket != ticket_) return;
    const gpu::DeviceAccess access;
    std::copy(own_.begin(), own_.end(), into_);
  }

 private:
  std::byte* into_ = nullptr;
  std::vector<std::byte> own_;
  Ticket ticket_ = 0;
};

using Precisions = testing::TestWithParam<std::string_view>;

class PrecisionOfTwoBytes : public Precisions {};
INSTANTIATE_TEST_SUITE_P(Equivalence, PrecisionOfTwoBytes, kTwoBytes);

TEST_P(PrecisionOfTwoBytes, ADroppedTransferIsNoticed) {
  RunOptions options = options_in(GetParam());
  options.steps = 1;
  EXPECT_TRUE(run_both(plain_network(), "data:2", options).check->holds());
  options.decorate = [](Communicator& inner) { return std::make_unique<DropsATransfer>(inner); };
  EXPECT_FALSE(run_both(plain_network(), "data:2", options).check->holds());
}

/// Mean of the last ten.
double end_of(const std::vector<double>& losses) {
  return std::accumulate(losses.end() - 10, losses.end(), 0.0) / 10;
}

/// The loss falls as it does in fp32: its fall over 30 steps differs by a tenth at most.
TEST_P(PrecisionOfTwoBytes, TheLossFallsAsInFp32) {
  const auto losses = [](std::string_view precision) {
    RunOptions options = options_in(precision);
    options.rate = 0.02;
    options.batch = 16;
    options.steps = 30;
    return run_both(plain_network(), "serial", options).losses;
  };
  const std::vector<double> fp32 = losses("fp32"), narrow = losses(GetParam());
  const double fall = fp32.front() - end_of(fp32);
  EXPECT_GT(fall, 0.25 * fp32.front());
  EXPECT_NE(narrow.back(), fp32.back());
  EXPECT_NEAR(narrow.front() - end_of(narrow), fall, 0.1 * fall);
}

/// Rank 1 puts an infinity into what it gives to the second step's gradients.
class GivesAnInfinity final : public OnTheDevice {
 public:
  using OnTheDevice::OnTheDevice;
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    if (rank() == 1 && label == "gradient bucket" && ++buckets_ == 2) {
      const gpu::DeviceAccess access;
      static_cast<std::uint16_t*>(data)[count / 2] = float_to_fp16(INFINITY);
    }
    return OnTheDevice::start_all_reduce(group, data, count, type, std::move(label));
  }

 private:
  int buckets_ = 0;
};

/// Rank 1's gradients, which no one else has, are bad in the second step.
class HasABadStep final : public OnTheDevice {
 public:
  using OnTheDevice::OnTheDevice;
  bool any(bool mine, std::string label) override {
    const bool asked = label == "gradients that are not finite";
    return OnTheDevice::any(mine || (asked && rank() == 1 && ++steps_ == 2), std::move(label));
  }

 private:
  int steps_ = 0;
};

std::vector<float> weight_of(const Executor& executor) {
  const TrainedLayer& trained = executor.program().trained.front();
  const Weights& weights = executor.weights(trained.layer);
  std::vector<float> values(static_cast<std::size_t>(weights.elements(0)));
  weights.read(0, values.data());
  return values;
}

template <class Spoils>
void expect_a_skipped_step(std::string_view strategy) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, strategy, 4, "fp16");
  run_ranks(2, [&](Communicator& inner) {
    Spoils communicator(inner);
    const auto backend = emulated_gpu_backend("fp16");
    ExecutorOptions options;
    options.optimizer.momentum = 0.9;
    Executor executor(graph, plan, *backend, communicator, options);
    const std::vector<float> initial = weight_of(executor);
    EXPECT_FALSE(executor.step(1).skipped);
    const std::vector<float> moved = weight_of(executor);
    EXPECT_NE(moved, initial);
    const StepRecord second = executor.step(2);
    EXPECT_TRUE(second.skipped);
    EXPECT_EQ(second.loss_scale, 32768);
    EXPECT_GT(second.scale_seconds, 0);
    EXPECT_EQ(weight_of(executor), moved);
    const StepRecord third = executor.step(3);
    EXPECT_FALSE(third.skipped);
    EXPECT_EQ(third.loss_scale, 16384);
    EXPECT_NE(weight_of(executor), moved);
  });
}

TEST(LossScaling, AnInfinityOfOneRankSkipsTheStepOnAll) {
  expect_a_skipped_step<GivesAnInfinity>("data:2");
}

TEST(LossScaling, RanksThatShareNoGradientsAgree) {
  expect_a_skipped_step<HasABadStep>("filter:2");
}

/// The first scale is far too large: steps are skipped until it fits, and counted; the run is then
/// what the serial one is, which skipped as many.
TEST(LossScaling, FindsAScaleThatFits) {
  for (const std::string_view strategy : {"serial", "data:2", "pipeline:2"}) {
    RunOptions options = options_in("fp16");
    options.loss_scale.value = 0x1p22;
    options.steps = 14;
    options.checked_step = 1;
    const Outcome outcome = run_both(uneven_network(), strategy, options);
    EXPECT_GE(outcome.skipped_steps, 4);
    EXPECT_LT(outcome.skipped_steps, 14);
    EXPECT_EQ(outcome.loss_scale, std::ldexp(0x1p22, -static_cast<int>(outcome.skipped_steps)));
    ASSERT_TRUE(outcome.check.has_value());
    EXPECT_TRUE(outcome.check->holds()) << strategy;
    EXPECT_EQ(outcome.unplanned_bytes, 0);
  }
}

/// Gradients below 2^-24 are zeros in fp16: what the loss's are with a scale of 2^-26.
TEST(LossScaling, KeepsSmallGradients) {
  const auto zeros = [](double scale) {
    const Graph graph = dense_chain({8, 4, 2});
    const Plan plan = plan_of(graph, "serial", 4, "fp16");
    Solo solo;
    const auto backend = emulated_gpu_backend("fp16");
    ExecutorOptions options;
    options.loss_scale.value = scale;
    Executor executor(graph, plan, *backend, solo, options);
    executor.step(1);
    const TrainedLayer& trained = executor.program().trained.front();
    std::vector<float> gradient(8 * 4);
    executor.weights(trained.layer).read_gradient(0, gradient.data());
    return std::count(gradient.begin(), gradient.end(), 0.0F);
  };
  EXPECT_LT(zeros(1024), 8 * 4);
  EXPECT_EQ(zeros(0x1p-26), 8 * 4);
}

/// The same values are drawn and dropped: the losses are those of the processor's kernels.
TEST(EmulatedGpuTraining, GoesTheWayOfTheProcessorsKernels) {
  RunOptions options;
  options.rate = 1e-3;
  options.backend = [] { return make_cpu_backend(1); };
  const std::vector<double> cpu = run_both(residual_network(), "serial", options).losses;
  options.backend = [] { return emulated_gpu_backend(); };
  const std::vector<double> emulated = run_both(residual_network(), "serial", options).losses;
  ASSERT_EQ(emulated.size(), 2U);
  EXPECT_NEAR(emulated[0], cpu[0], 1e-5 * cpu[0]);
  EXPECT_NEAR(emulated[1], cpu[1], 1e-4 * cpu[1]);
}

Shape text_of(std::int64_t numbers) { return {{1, 1, 1, 1, numbers, 1}}; }

/// bf16 has no whole number between 2048 and 2064: other rows would be other losses.
TEST(EmulatedGpuTraining, LooksUpNumbersThatTwoBytesDoNotHave) {
  GraphBuilder net("words");
  LayerId x = net.input(text_of(9));
  x = net.add("words", "embedding", {x}, {{"entries", 3000}, {"features", 6}});
  x = net.add("flat", "flatten", {x});
  x = net.add("fc", "dense", {x}, {{"features", 4}});
  net.add("loss", "softmax_loss", {x});
  const Graph graph = net.finish();
  const std::vector<double> exact = run_both(graph, "serial", options_in("fp32")).losses;
  for (const std::string_view precision : {"bf16", "fp16"}) {
    for (const std::string_view strategy : {"serial", "width:3"}) {
      const std::vector<double> losses = run_both(graph, strategy, options_in(precision)).losses;
      EXPECT_NEAR(losses.front(), exact.front(), 0x1p-7 * exact.front()) << precision;
    }
  }
}

/// What cannot train on two bytes is named before training begins.
void expect_refused(const Graph& graph, std::string_view precision, const std::string& why) {
  try {
    run_both(graph, "serial", options_in(precision));
    FAIL() << "it trained";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), why);
  }
}

TEST(EmulatedGpuTraining, RefusesToComputeWithNumbersOfRowsInTwoBytes) {
  GraphBuilder net("both");
  const LayerId x = net.input(text_of(5));
  const LayerId words = net.add("words", "embedding", {x}, {{"entries", 10}, {"features", 4}});
  const LayerId values = net.add("values", "convolution", {x}, {{"features", 4}, {"kernel", 1}});
  LayerId both = net.add("both", "add", {words, values});
  both = net.add("flat", "flatten", {both});
  both = net.add("fc", "dense", {both}, {{"features", 3}});
  net.add("loss", "softmax_loss", {both});
  const Graph graph = net.finish();
  EXPECT_NO_THROW(run_both(graph, "serial", options_in("fp32")));
  expect_refused(graph, "bf16",
                 "values: it computes with what is looked up in a table as integers; train in "
                 "fp32");
}

TEST(EmulatedGpuTraining, RefusesToMakeNumbersOfRowsInTwoBytes) {
  GraphBuilder net("made");
  LayerId x = net.input(text_of(5));
  x = net.add("some", "slice", {x}, {{"extents", 3}});
  x = net.add("words", "embedding", {x}, {{"entries", 10}, {"features", 4}});
  x = net.add("flat", "flatten", {x});
  x = net.add("fc", "dense", {x}, {{"features", 3}});
  net.add("loss", "softmax_loss", {x});
  expect_refused(net.finish(), "fp16",
                 "some: it makes what is looked up in a table as integers; train in fp32");
}

/// A kind that no kernel runs is named before training begins.
TEST(EmulatedGpuTraining, NamesTheKindThatItHasNoKernelOf) {
  GraphBuilder net("unknown");
  LayerId x = net.input({{1, 8, 1, 1, 1, 1}});
  x = net.add("who", "opaque", {x}, {{"features", 8}});
  x = net.add("fc", "dense", {x}, {{"features", 4}});
  net.add("loss", "softmax_loss", {x});
  expect_refused(net.finish(), "fp32", "who: the GPU back end has no kernel of kind \"opaque\"");
}

}  // namespace equivalence_emulated_gpu_test
}  // namespace oracle
