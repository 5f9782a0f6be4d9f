#include "oracle/graph/layer_case.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace layer_case_test {

TEST(LayerCase, WorkedNumber) {
  const LayerCase of =
      parse_layer_case("convolution 8:64x56x56 features=128 kernel=3 stride=2 pad=1");
  EXPECT_EQ(of.samples, 8);
  const Layer layer = layer_of(of);
  EXPECT_EQ(to_text(layer.output), "128x28x28");
  EXPECT_EQ(layer.reduction, 576);
  EXPECT_EQ(layer.spatial_rank, 2U);
}

TEST(LayerCase, TokensOfATextStandBehindTheOtherExtents) {
  const LayerCase of = parse_layer_case("dense 8:64@128 features=256");
  EXPECT_EQ(of.spatial_rank, 0U);
  const Layer layer = layer_of(of);
  EXPECT_EQ(layer.output[Axis::sequence], 128);
  EXPECT_EQ(layer.output.elements(), 256 * 128);
  // Of an image that became tokens.
  EXPECT_EQ(parse_layer_case("layer_norm 8:64x1x1@65").inputs[0][Axis::sequence], 65);
  EXPECT_EQ(parse_layer_case("layer_norm 8:64x1x1@65").spatial_rank, 2U);
}

TEST(LayerCase, EveryTextComesBack) {
  for (const char* text :
       {"convolution 8:64x56x56 features=128 kernel=3,5 stride=2 pad_before=0,1 pad_after=2,1",
        "dense 1:4096 features=1000 bias=false", "add 2:64x8x8+64x8x8",
        "pool 4:16x7x7 mode=average kernel=7",
        "convolution 1:4x16x16x16 features=16 kernel=3 pad=1", "concat 2:64x1x1+32x1x1+8x1x1",
        "attention 4:64@32+32@128+32@128 causal=true first=48 heads=4 kv_heads=2",
        "added_rows 8:64x1x1@65 entries=65"}) {
    EXPECT_EQ(to_text(parse_layer_case(text)), text);
  }
}

TEST(LayerCase, AxesWrittenAreAxesOfTheNetwork) {
  EXPECT_EQ(parse_layer_case("activation 2:64x1x1 function=relu").spatial_rank, 2U);
  EXPECT_EQ(parse_layer_case("activation 2:64 function=relu").spatial_rank, 0U);
}

TEST(LayerCase, InputsCount) {
  EXPECT_EQ(layer_of(parse_layer_case("add 2:64x8x8+64x8x8")).inputs.size(), 2U);
}

TEST(LayerCase, RefusesWhatIsNone) {
  for (const char* text :
       {"", "convolution", "convolution 8", "convolution x:3x4", "convolution 0:3x4",
        "convolution 8:3xx4", "convolution 8:1x2x3x4x5", "convolution 8:-3x4x4",
        "dense 8:64@ features=4", "dense 8:64@0 features=4", "dense 8:64@4@4 features=4",
        "dense 8:64@9007199254740993 features=4", "convolution 8:3x4x4 kernel",
        "convolution 8:3x4x4 =3",
        "convolution 8:3x4x4 kernel=", "convolution 8:3x4x4 kernel=3 kernel=5", "add 2:64x8x8+64x8",
        "convolution 8:99999999999999999999x4x4"}) {
    EXPECT_THROW(parse_layer_case(text), InputError) << text;
  }
}

TEST(LayerCase, LayersThatNoKindDescribesAreRefused) {
  for (const char* text :
       {"input 8:3x4x4", "convolutions 8:3x4x4 features=3 kernel=1",
        "convolution 8:3x4x4 features=3 kernel=9", "convolution 8:3x4x4 features=3 kernels=1",
        "add 8:3x4x4", "dense 1000000000:9007199254740991 features=1"}) {
    EXPECT_THROW(layer_of(parse_layer_case(text)), InputError) << text;
  }
}

}  // namespace layer_case_test
}  // namespace oracle
