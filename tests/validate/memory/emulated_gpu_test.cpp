// The allocator's peak is the plan's footprint on the GPU's kernels too, in fp32 and in two bytes:
// within 3 %, and more by no more than 1 %, as memory_test.cpp has it of the processor's. Kernels
// of ours beside take scratch memory that is bounded however large tensors are, and no plan counts.

#include <gtest/gtest.h>

#include "tests/validate/networks.h"
#include "tests/validate/on_the_device.h"

namespace oracle {
namespace memory_emulated_gpu_test {

/// Precision and strategy.
class PeakOnEmulatedGpu
    : public testing::TestWithParam<std::tuple<std::string_view, std::string_view>> {
 protected:
  /// `scratch`: bytes of kernels of ours.
  static void expect_footprint(const Graph& graph, std::int64_t batch, double scratch) {
    const auto [precision, strategy] = GetParam();
    RunOptions options = options_in(precision);
    options.batch = batch;
    options.steps = 1;
    options.optimizer = "sgd";  // the plan's
    options.loss_scale.value = 1;
    const Outcome outcome = run_alone(graph, strategy, options);
    const auto peak = static_cast<double>(outcome.peak_memory);
    EXPECT_LE(peak, 1.01 * outcome.footprint + scratch) << peak << " of " << outcome.footprint;
    EXPECT_GE(peak, 0.97 * outcome.footprint) << peak << " of " << outcome.footprint;
  }
};
/// fp16 holds what bf16 does.
const auto kPrecisions = testing::Values("fp32", "bf16");

/// Weights and their gradients.
class DensePeak : public PeakOnEmulatedGpu {};
TEST_P(DensePeak, IsTheFootprint) {
  GraphBuilder net("dense");
  LayerId x = net.input({{1, 512, 1, 1, 1, 1}});
  for (const char* name : {"fc1", "fc2", "fc3", "fc4"}) {
    x = net.add(name, "dense", {x}, {{"features", 1024}});
  }
  net.add("loss", "softmax_loss", {x});
  expect_footprint(net.finish(), 4, 0);
}
INSTANTIATE_TEST_SUITE_P(EmulatedGpu, DensePeak,
                         testing::Combine(kPrecisions,
                                          testing::Values("serial", "data:2", "filter:2")));

/// Rectifiers within the kernels before them, and apart. Windows of 1, for which no workspace is
/// assumed.
class ShortcutPeak : public PeakOnEmulatedGpu {};
TEST_P(ShortcutPeak, IsTheFootprint) { expect_footprint(shortcut_network(32, 32, 1), 16, 0x1p19); }
INSTANTIATE_TEST_SUITE_P(EmulatedGpu, ShortcutPeak,
                         testing::Combine(kPrecisions,
                                          testing::Values("serial", "serial; fusion=off", "data:2",
                                                          "filter:2", "height:2")));

/// What a convolution reads with halos is kept so, and the rectifier's own output for no one: its
/// backward is the batch norm's.
class HaloedPeak : public PeakOnEmulatedGpu {};
TEST_P(HaloedPeak, IsTheFootprint) { expect_footprint(shortcut_network(32, 32), 8, 0x1p17); }
INSTANTIATE_TEST_SUITE_P(EmulatedGpu, HaloedPeak,
                         testing::Combine(kPrecisions, testing::Values("height:2", "width:4")));

class TransformerPeak : public PeakOnEmulatedGpu {};
TEST_P(TransformerPeak, IsTheFootprint) {
  expect_footprint(network_of_file("transformer"), 4, 0x1p19);
}
INSTANTIATE_TEST_SUITE_P(EmulatedGpu, TransformerPeak,
                         testing::Combine(kPrecisions, testing::Values("serial", "tensor:2")));

class DetectorPeak : public PeakOnEmulatedGpu {};
TEST_P(DetectorPeak, IsTheFootprint) { expect_footprint(network_of_file("detector"), 2, 0x1p19); }
INSTANTIATE_TEST_SUITE_P(EmulatedGpu, DetectorPeak,
                         testing::Combine(kPrecisions, testing::Values("serial", "height:2")));

}  // namespace memory_emulated_gpu_test
}  // namespace oracle
