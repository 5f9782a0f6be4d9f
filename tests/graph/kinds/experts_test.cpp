#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/graph/expert_rows.h"
#include "tests/graph/several_inputs.h"

namespace oracle {
namespace experts_test {

using testing::HasSubstr;

TEST(Dispatch, MakesARowForEachChoice) {
  const Layer layer = layer_on("dispatch", {text_of(2048, 4096), text_of(128, 4096)},
                               {{"per_token", std::int64_t{8}}});
  EXPECT_EQ(layer.output, text_of(2048, 32'768));
  EXPECT_EQ(layer.routed, Routed::dispatch);
  EXPECT_THAT(
      refusal_on("dispatch", {text_of(4, 8), text_of(2, 8)}, {{"per_token", std::int64_t{3}}}),
      HasSubstr("3 experts for each token, of 2"));
}

// 10 tokens to 2 of 3 experts: 20 rows, 6 and two thirds each; a quarter more is 8 and a third.
TEST(Dispatch, RoundsCapacityUp) {
  const Layer layer =
      layer_on("dispatch", {text_of(4, 10), text_of(3, 10)},
               {{"per_token", std::int64_t{2}}, {"capacity_percent", std::int64_t{125}}});
  EXPECT_EQ(layer.output, text_of(4, 27));
}

TEST(ExpertDense, HasAMatrixForEachExpert) {
  const Layer layer = layer_on("expert_dense", {text_of(4096, 64)},
                               {{"experts", std::int64_t{8}}, {"features", std::int64_t{14336}}});
  EXPECT_EQ(layer.parameters(), 469'762'048);
  EXPECT_EQ(layer.flops(Pass::forward), 2.0 * 64 * 4096 * 14336);
  EXPECT_EQ(layer.experts, 8);
}

TEST(ExpertRows, WorkedExample) {
  const std::int64_t begins[] = {0, 2, 4, 6, 9};
  for (std::int64_t e = 0; e <= 4; ++e) EXPECT_EQ(first_row_of(e, 9, 4), begins[e]);
}

/// 24 rows of 8 tokens: 3 each, unless the layer says how many with room to spare.
TEST(Combine, KnowsHowManyExpertsATokenWentTo) {
  EXPECT_EQ(layer_on("combine", {text_of(4, 24), text_of(4, 8)}).per_token, 3);
  const Layer layer =
      layer_on("combine", {text_of(4, 24), text_of(4, 8)}, {{"per_token", std::int64_t{2}}});
  EXPECT_EQ(layer.per_token, 2);
}

TEST(Dispatch, KeepsEachRowsToken) {
  const Layer layer =
      layer_on("dispatch", {text_of(64, 8), text_of(4, 8)}, {{"per_token", std::int64_t{2}}});
  EXPECT_EQ(layer.mask_bytes_per_output * static_cast<double>(layer.output.elements()), 4.0 * 16);
}

TEST(Combine, ReturnsToTheTokens) {
  const Layer layer = layer_on("combine", {text_of(2048, 32'768), text_of(128, 4096)});
  EXPECT_EQ(layer.output, text_of(2048, 4096));
  EXPECT_EQ(layer.flops(Pass::forward), 2.0 * 2048 * 32'768);
}

TEST(HeadConcat, RepeatsWhatAllHeadsShare) {
  const Layer layer = layer_on("head_concat", {text_of(128 * 128, 4), text_of(64, 4)},
                               {{"heads", std::int64_t{128}}});
  EXPECT_EQ(layer.output, text_of(128 * 192, 4));
  EXPECT_EQ(layer.multiply_adds(), 0);
}

}  // namespace experts_test
}  // namespace oracle
