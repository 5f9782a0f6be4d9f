// The executor on the GPU's kernels, whose memory it must not touch: distributed runs equal the
// serial one on a device that is none (tests/emulated_gpu/README.md).

#include <gtest/gtest.h>
#include <numeric>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "microbench/kernels/gpu/device/parallel.h"
#include "oracle/base/error.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"
#include "tests/validate/sabotage.h"

namespace oracle {
namespace {

/// Reaches the buffers that it is given, as a communicator of GPUs does.
class OnTheDevice : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;

  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    const gpu::DeviceAccess access;
    return inner_.start_all_reduce(group, data, count, type, std::move(label));
  }
  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    const gpu::DeviceAccess access;
    return inner_.start_reduce_scatter(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const gpu::DeviceAccess access;
    return inner_.start_all_gather(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const gpu::DeviceAccess access;
    return inner_.start_all_to_all(group, from, to, part, type, std::move(label));
  }
  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    const gpu::DeviceAccess access;
    return inner_.start_messages(sends, receives, type, std::move(label));
  }
  void wait(Ticket ticket) override {
    const gpu::DeviceAccess access;
    inner_.wait(ticket);
  }
};

RunOptions options_in(std::string_view precision) {
  RunOptions options;
  options.rate = 1e-3;
  options.precision = precision;
  options.backend = [precision] { return emulated_gpu_backend(precision); };
  options.decorate = [](Communicator& inner) { return std::make_unique<OnTheDevice>(inner); };
  return options;
}

void expect_equal(const Graph& graph, std::string_view strategy) {
  const Outcome outcome = run_both(graph, strategy, options_in("fp32"));
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

class VolumeOnEmulatedGpu : public Strategies {};
TEST_P(VolumeOnEmulatedGpu, EqualsTheSerialRun) { expect_equal(volume_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, VolumeOnEmulatedGpu,
                         testing::Values("depth:2", "data:2,depth:2", "channel:2"));

void expect_equal_in_bf16(const Graph& graph, std::string_view strategy) {
  RunOptions options = options_in("bf16");
  options.rate = 0.01;
  options.checked_step = 1;
  const Outcome outcome = run_both(graph, strategy, options);
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
  EXPECT_LE(outcome.check->loss_error(), outcome.check->allowed_loss_error()) << strategy;
  for (const ParameterError& error : outcome.check->errors) {
    EXPECT_LE(error.relative, error.allowed) << strategy << ": " << error.name;
  }
  EXPECT_NEAR(outcome.sent_bytes, outcome.item_bytes, 8) << strategy;
  EXPECT_EQ(outcome.unplanned_bytes, 0) << strategy;
}

class ResidualInBf16 : public Strategies {};
TEST_P(ResidualInBf16, EqualsTheSerialRun) { expect_equal_in_bf16(residual_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, ResidualInBf16,
                         testing::Values("serial", "data:2", "data:2; batch_norm=synchronized",
                                         "filter:2", "channel:2", "tensor:2", "height:2,width:2",
                                         "pipeline:3", "data:2,height:2"));

class VolumeInBf16 : public Strategies {};
TEST_P(VolumeInBf16, EqualsTheSerialRun) { expect_equal_in_bf16(volume_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, VolumeInBf16,
                         testing::Values("depth:2", "data:2,depth:2", "channel:2"));

class UnevenInBf16 : public Strategies {};
TEST_P(UnevenInBf16, EqualsTheSerialRun) { expect_equal_in_bf16(uneven_network(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Equivalence, UnevenInBf16,
                         testing::Values("data:3", "filter:3", "channel:3", "tensor:4",
                                         "height:3,width:2", "data:2,filter:2",
                                         "data:2; micro_batches=2"));

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

TEST(InBf16, ADroppedTransferIsNoticed) {
  RunOptions options = options_in("bf16");
  options.steps = 1;
  EXPECT_TRUE(run_both(plain_network(), "data:2", options).check->holds());
  options.decorate = [](Communicator& inner) { return std::make_unique<DropsATransfer>(inner); };
  EXPECT_FALSE(run_both(plain_network(), "data:2", options).check->holds());
}

/// Mean of the last ten.
double end_of(const std::vector<double>& losses) {
  return std::accumulate(losses.end() - 10, losses.end(), 0.0) / 10;
}

/// In bf16 the loss falls as it does in fp32: its fall over 30 steps differs by a tenth at most.
TEST(InBf16, TheLossFallsAsInFp32) {
  const auto losses = [](std::string_view precision) {
    RunOptions options = options_in(precision);
    options.rate = 0.02;
    options.batch = 16;
    options.steps = 30;
    return run_both(plain_network(), "serial", options).losses;
  };
  const std::vector<double> fp32 = losses("fp32"), bf16 = losses("bf16");
  const double fall = fp32.front() - end_of(fp32);
  EXPECT_GT(fall, 0.25 * fp32.front());
  EXPECT_NE(bf16.back(), fp32.back());
  EXPECT_NEAR(bf16.front() - end_of(bf16), fall, 0.1 * fall);
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

/// A kind that only the processor runs is named before training begins.
TEST(EmulatedGpuTraining, NamesTheKindThatItHasNoKernelOf) {
  RunOptions options;
  options.backend = emulated_gpu_backend;
  try {
    run_both(network_of_file("text"), "serial", options);
    FAIL() << "it trained";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "words: the GPU back end has no kernel of kind \"embedding\"");
  }
}

}  // namespace
}  // namespace oracle
