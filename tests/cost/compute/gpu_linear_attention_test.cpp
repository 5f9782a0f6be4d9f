#include "oracle/cost/compute/gpu_linear_attention.h"

#include <gtest/gtest.h>

#include "oracle/cost/compute/roofline.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "tests/graph/several_inputs.h"

namespace oracle {
namespace gpu_linear_attention_test {

/// Passes of flash-linear-attention 0.5.1 on texts of equal length, with heads of 128:
/// github.com/QwenLM/FlashQLA (6e5d2ea for the H200), benchmark/.
struct LinearRun {
  const char* device;
  Pass pass;
  std::int64_t positions, texts, heads, value_heads;
  double measured;  // [ms]
};

KernelDemand demand_of(const LinearRun& run) {
  const auto text = [&](std::int64_t features) { return text_of(features, run.positions); };
  const Layer layer =
      layer_on("linear_attention",
               {text(run.heads * 128), text(run.heads * 128), text(run.value_heads * 128),
                text(run.value_heads), text(run.value_heads)},
               {{"heads", run.heads}, {"value_heads", run.value_heads}});
  Piece piece;
  piece.samples = run.texts;
  piece.input = layer.input;
  piece.output = layer.output;
  Training training;
  training.precision = precision_named("bf16");
  return demand(layer, piece, run.pass, training);
}

double milliseconds(const LinearRun& run) {
  Cluster machine = load_cluster("1x1x" + std::string(run.device));
  return 1e3 * roofline_terms(demand_of(run), DataType::bf16, machine).total().value;
}

TEST(GpuLinearAttention, WorkedNumber) {
  const LinearRun run{"h200-sxm5-141gb", Pass::forward, 8192, 1, 16, 32, 0.472};
  const KernelDemand demand = demand_of(run);
  EXPECT_EQ(demand.form, KernelForm::linear_attention);
  EXPECT_EQ(demand.groups, 32);
  EXPECT_EQ(demand.kernels, 7);
  const Device h200 = load_device("h200-sxm5-141gb");
  EXPECT_NEAR(1e3 * linear_attention_seconds(demand, h200, 0.9 * 989.4e12 / 2, 132).value, 0.385,
              1e-3);
  EXPECT_NEAR(1e3 * demand.traffic.value / (0.85 * 4.8e12), 0.329, 1e-3);
}

TEST(GpuLinearAttention, IsNearWhatItsRatesWereFittedOn) {
  constexpr const char* kH200 = "h200-sxm5-141gb";
  const LinearRun runs[] = {
      {kH200, Pass::forward, 32768, 1, 2, 8, 0.902},
      {kH200, Pass::forward, 8192, 1, 2, 8, 0.234},
      {kH200, Pass::forward, 4096, 8, 2, 8, 0.471},
      {kH200, Pass::forward, 32768, 1, 4, 16, 1.241},
      {kH200, Pass::forward, 8192, 4, 4, 16, 0.935},
      {kH200, Pass::forward, 8192, 1, 16, 32, 0.472},
      {kH200, Pass::forward, 32768, 1, 16, 32, 1.890},
      {kH200, Pass::forward, 4096, 8, 16, 32, 1.914},
      {kH200, Pass::forward, 32768, 1, 16, 48, 2.711},
      {kH200, Pass::forward, 8192, 4, 16, 48, 2.532},
      {kH200, Pass::forward, 32768, 1, 16, 64, 3.331},
      {kH200, Pass::forward, 8192, 1, 32, 32, 0.500},
      {kH200, Pass::backward_data, 8192, 1, 16, 32, 1.444},
      {kH200, Pass::backward_data, 32768, 1, 16, 32, 5.697},
      {kH200, Pass::backward_data, 32768, 1, 8, 16, 3.701},
      {kH200, Pass::backward_data, 8192, 1, 4, 8, 0.722},
      {kH200, Pass::backward_data, 32768, 1, 2, 4, 2.311},
  };
  for (const LinearRun& run : runs) {
    const double off = milliseconds(run) / run.measured - 1;
    EXPECT_LT(std::abs(off), 0.20) << run.positions << " x " << run.texts << ", " << run.value_heads
                                   << " heads: " << milliseconds(run);
  }
}

TEST(GpuLinearAttention, IsNearOnDevicesThatItWasNotFittedOn) {
  const LinearRun runs[] = {
      {"gb200-186gb", Pass::forward, 32768, 1, 16, 48, 2.521},
      {"gb200-186gb", Pass::forward, 8192, 4, 16, 48, 2.283},
      {"gb200-186gb", Pass::forward, 32768, 1, 32, 32, 1.812},
      {"gb200-186gb", Pass::backward_data, 32768, 1, 32, 32, 5.714},
      {"gb200-186gb", Pass::backward_data, 32768, 1, 16, 16, 3.934},
      {"rtx5090", Pass::forward, 32768, 1, 16, 32, 2.976},
      {"rtx5090", Pass::forward, 8192, 4, 16, 48, 4.566},
      {"rtx5090", Pass::forward, 8192, 1, 8, 24, 0.555},
  };
  for (const LinearRun& run : runs) {
    const double off = milliseconds(run) / run.measured - 1;
    EXPECT_LT(std::abs(off), 0.35)
        << run.device << ", " << run.value_heads << " heads: " << milliseconds(run);
  }
}

/// One head waits for its states whatever the GPU could do.
TEST(GpuLinearAttention, FewHeadsWaitForTheirStates) {
  const LinearRun few{"h200-sxm5-141gb", Pass::forward, 32768, 1, 1, 1, 0};
  EXPECT_GT(milliseconds(few), 512 * 1.1e-3);
}

}  // namespace gpu_linear_attention_test
}  // namespace oracle
