#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/several_inputs.h"

namespace oracle {
namespace linear_attention_test {

using testing::HasSubstr;

TEST(CausalConvolution, HasTapsForEachChannel) {
  const Layer layer = layer_on("causal_convolution", {text_of(8192, 4096)});
  EXPECT_EQ(layer.parameters(), 32'768);
  EXPECT_EQ(layer.flops(Pass::forward), 12.0 * 8192 * 4096);  // 4 products and sums, and silu
  EXPECT_EQ(layer.reach, Reach::whole);
  const Layer biased =
      layer_on("causal_convolution", {text_of(10, 4)}, {{"taps", std::int64_t{3}}, {"bias", true}});
  EXPECT_EQ(biased.parameters(), 10 * 3 + 10);
}

/// Qwen3-Next: 16 heads of queries and keys, 32 of values.
std::vector<Shape> of_qwen(std::int64_t positions) {
  return {text_of(2048, positions), text_of(2048, positions), text_of(4096, positions),
          text_of(32, positions), text_of(32, positions)};
}
const Attributes kQwen{{"heads", std::int64_t{16}}, {"value_heads", std::int64_t{32}}};

TEST(LinearAttention, TakesChunksAndHandsStates) {
  const Layer layer = layer_on("linear_attention", of_qwen(4096), kQwen);
  const double rows = 4096.0 * 32;
  EXPECT_EQ(layer.flops(Pass::forward), rows * (2 * 64 * (3 + 2) * 128 + 6 * 128 * 128));
  EXPECT_NEAR(layer.flops(Pass::forward), 23.6e9, 0.05e9);
  EXPECT_NEAR(layer.flops(Pass::backward_data), 60.1e9, 0.05e9);
  EXPECT_EQ(layer.parameters(), 64);
  EXPECT_EQ(layer.output, text_of(4096, 4096));
  // Work grows as the text does, and not as its square.
  const Layer twice = layer_on("linear_attention", of_qwen(8192), kQwen);
  EXPECT_EQ(twice.flops(Pass::forward), 2 * layer.flops(Pass::forward));
}

TEST(LinearAttention, SharesKeysByTheRuleOfDecay) {
  // Nemotron 3 Nano: 8 groups of states, 64 heads of 64 features.
  const Layer layer =
      layer_on("linear_attention",
               {text_of(1024, 512), text_of(1024, 512), text_of(4096, 512), text_of(64, 512)},
               {{"heads", std::int64_t{8}},
                {"value_heads", std::int64_t{64}},
                {"rule", std::string("decay")}});
  EXPECT_EQ(layer.flops(Pass::forward), 512.0 * 64 * (2 * 128 * (128 / 8 + 64) + 4 * 128 * 64));
  EXPECT_EQ(layer.parameters(), 3 * 64);
}

TEST(LinearAttention, RefusesWhatDoesNotFit) {
  std::vector<Shape> inputs = of_qwen(8);
  inputs.back() = text_of(31, 8);
  EXPECT_THAT(refusal_on("linear_attention", inputs, kQwen),
              HasSubstr("do not make linear attention of 16 heads and 32 of values"));
  inputs.pop_back();
  EXPECT_THAT(refusal_on("linear_attention", inputs, kQwen), HasSubstr("do not make"));
  EXPECT_THAT(refusal_on("linear_attention", of_qwen(8),
                         {{"heads", std::int64_t{16}}, {"value_heads", std::int64_t{24}}}),
              HasSubstr("16 heads and 24 of values"));
}

}  // namespace linear_attention_test
}  // namespace oracle
