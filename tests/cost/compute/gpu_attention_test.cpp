#include "oracle/cost/compute/gpu_attention.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "tests/graph/several_inputs.h"

namespace oracle {
namespace gpu_attention_test {

constexpr double kSustained = 0.95 * 312e12;  // of an A100 in fp16
constexpr double kPeak = kSustained / 2;      // multiply-adds
constexpr double kUnits = 108;

KernelDemand demand_with(std::int64_t tokens, std::int64_t features, const Attributes& attributes,
                         Pass pass = Pass::forward) {
  const Layer layer =
      layer_on("attention", std::vector<Shape>(3, text_of(features, tokens)), attributes);
  Piece piece;
  piece.samples = 1;
  piece.input = layer.input;
  piece.output = layer.output;
  return demand(layer, piece, pass, {});
}

KernelDemand demand_of(std::int64_t tokens, std::int64_t heads, std::int64_t head, bool causal,
                       Pass pass = Pass::forward) {
  return demand_with(tokens, heads * head, {{"heads", heads}, {"causal", causal}}, pass);
}

double milliseconds(const KernelDemand& demand, const char* device = "a100-sxm4-40gb") {
  return 1e3 * attention_seconds(demand, load_device(device), kPeak, kUnits).value;
}

/// Operations a second of all its matrix units, in bf16.
double rate_on(const Device& device, const KernelDemand& demand) {
  const double peak = device.sustained_peak_of(DataType::bf16).value / 2;
  const auto units = static_cast<double>(device.multiprocessors);
  return demand.flops.value / attention_seconds(demand, device, peak, units).value;
}

// Measured on an A100 at these sizes: 217 to 236 TFLOP/s by all pairs at best, 140 to 184 on
// shorter texts; the part of the peak is a median.
TEST(GpuAttention, RunsAtAPartOfThePeak) {
  const KernelDemand demand = demand_of(4096, 32, 128, false);
  EXPECT_EQ(demand.form, KernelForm::attention);
  EXPECT_EQ(demand.n, 128);
  EXPECT_EQ(demand.k, 4096);
  EXPECT_EQ(demand.groups, 32);
  EXPECT_NEAR(milliseconds(demand), 4.0 * 4096 * 4096 * 4096 / (0.61 * kSustained) * 1e3, 1e-6);
  EXPECT_NEAR(milliseconds(demand), 1.520, 1e-3);
}

// Shah et al., arXiv 2407.08608, figures 5 and 6: H100, all pairs of 8,192 tokens, TFLOP/s.
TEST(GpuAttention, OnHopperIsWhoseKernelItIs) {
  struct Run {
    AttentionKernel kernel;
    std::int64_t head;
    double forward, backward;
  };
  using enum AttentionKernel;
  constexpr std::array<Run, 6> kRuns = {{{flash_2, 64, 322, 287},
                                         {flash_2, 128, 370, 318},
                                         {cudnn, 64, 412, 432},
                                         {cudnn, 128, 600, 518},
                                         {flash_3, 64, 496, 472},
                                         {flash_3, 128, 646, 559}}};
  for (const Run& run : kRuns) {
    const auto rate = [&](Pass pass) {
      KernelDemand demand = demand_of(8192, 2048 / run.head, run.head, false, pass);
      demand.attention = run.kernel;
      return rate_on(load_device("h100-sxm5-80gb"), demand) / 1e12;
    };
    // FlashAttention-2's row was measured on a GH200, where it reaches a tenth less.
    const double apart = run.kernel == flash_2 ? 0.12 : 0.07;
    EXPECT_NEAR(rate(Pass::forward) / run.forward, 1, apart) << run.head;
    EXPECT_NEAR(rate(Pass::backward_data) / run.backward, 1, 0.25) << run.head;
  }
}

// Measured on a GH200: 0.35 of the peak.
TEST(GpuAttention, OfFlashAttention2OnHopperIsThatOfAGraceHopper) {
  const KernelDemand demand = demand_of(8192, 16, 128, false);
  const Device device = load_device("gh200-96gb");
  EXPECT_NEAR(rate_on(device, demand) / device.peak_of(DataType::bf16).value, 0.35, 0.005);
}

// github.com/MooreThreads/SimuMax (e691807), configs/system: causal forward of cuDNN on a B200, as
// parts of 2,250 TFLOP/s where each pair is counted, and the mask leaves half of them.
TEST(GpuAttention, OfCudnnOnBlackwellIsThatOfAB200) {
  struct Run {
    std::int64_t tokens, heads;
    double part;
  };
  constexpr std::array<Run, 4> kRuns = {
      {{4096, 128, 0.997}, {4096, 64, 0.872}, {32768, 16, 1.165}, {131072, 16, 0.989}}};
  const Device device = load_device("b200-sxm-180gb");
  for (const Run& run : kRuns) {
    KernelDemand demand = demand_of(run.tokens, run.heads, 128, true);
    demand.attention = AttentionKernel::cudnn;
    EXPECT_NEAR(rate_on(device, demand) / (run.part / 2 * 2250e12), 1, 0.19)
        << run.tokens << " " << run.heads;
  }
}

// 64 windows of 49 tokens for each of 3 heads: as many products as there are windows.
TEST(GpuAttention, IsAProductForEachWindow) {
  const KernelDemand demand =
      demand_with(3136, 96, {{"heads", std::int64_t{3}}, {"within", std::int64_t{49}}});
  EXPECT_EQ(demand.groups, 64 * 3);
  EXPECT_EQ(demand.m, 49);
  EXPECT_EQ(demand.k, 49);
  EXPECT_EQ(demand.n, 32);
  EXPECT_EQ(demand.flops.value, 4.0 * 96 * 3136 * 49);
}

TEST(GpuAttention, TakesLongerBackward) {
  const double forward = milliseconds(demand_of(4096, 32, 128, false));
  EXPECT_NEAR(milliseconds(demand_of(4096, 32, 128, false, Pass::backward_data)), 3.1 * forward,
              1e-9);
}

TEST(GpuAttention, ComputesTilesOfTheDiagonalWhole) {
  const double full = milliseconds(demand_of(4096, 32, 128, false));
  const KernelDemand causal = demand_of(4096, 32, 128, true);
  EXPECT_EQ(causal.k, 2049);  // 2048.5, rounded
  EXPECT_NEAR(milliseconds(causal) / full, (4096.0 + 128) / 2 / 4096, 2e-4);
}

TEST(GpuAttention, FillsTheDeviceOrNot) {
  const double one = milliseconds(demand_of(1024, 8, 128, false));
  EXPECT_NEAR(one, 4.0 * 1024 * 1024 * 1024 / (0.44 * kSustained) * 1e3, 1e-6);
}

TEST(GpuAttention, ReachesLessWithNarrowHeads) {
  EXPECT_GT(milliseconds(demand_of(4096, 128, 32, false)),
            1.5 * milliseconds(demand_of(4096, 32, 128, false)));
}

}  // namespace gpu_attention_test
}  // namespace oracle
