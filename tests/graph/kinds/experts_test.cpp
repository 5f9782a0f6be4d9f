#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
