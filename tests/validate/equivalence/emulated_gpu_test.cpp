// The executor on the GPU's kernels, whose memory it must not touch: distributed runs equal the
// serial one on a device that is none (tests/emulated_gpu/README.md).

#include <gtest/gtest.h>

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
class OnTheDevice final : public Sabotaged {
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

void expect_equal(const Graph& graph, std::string_view strategy) {
  RunOptions options;
  options.rate = 1e-3;
  options.backend = emulated_gpu_backend;
  options.decorate = [](Communicator& inner) { return std::make_unique<OnTheDevice>(inner); };
  const Outcome outcome = run_both(graph, strategy, options);
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_LE(outcome.check->loss_error(), kEqual) << strategy;
  EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
  for (const ParameterError& error : outcome.check->errors) {
    EXPECT_LE(error.relative, kEqual) << strategy << ": " << error.name;
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

/// The same values are drawn and dropped: the losses are those of the processor's kernels.
TEST(EmulatedGpuTraining, GoesTheWayOfTheProcessorsKernels) {
  RunOptions options;
  options.rate = 1e-3;
  options.backend = [] { return make_cpu_backend(1); };
  const std::vector<double> cpu = run_both(residual_network(), "serial", options).losses;
  options.backend = emulated_gpu_backend;
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
