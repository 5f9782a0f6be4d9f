#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/several_inputs.h"

namespace oracle {
namespace transformer_test {

using testing::HasSubstr;

const Attributes kGpt2{{"heads", std::int64_t{12}}, {"causal", true}};

/// Forward FLOPs of a layer for each token of the text.
double per_token(const Layer& layer, Pass pass = Pass::forward) {
  return layer.flops(pass) / static_cast<double>(layer.input.positions());
}

TEST(RmsNorm, HasOneWeightForAllHeads) {
  const Layer whole = layer_on("rms_norm", {text_of(4096, 8)});
  EXPECT_EQ(whole.parameters(), 4096);
  EXPECT_EQ(whole.weights.front().features_out, 4096);
  const Layer heads = layer_on("rms_norm", {text_of(4096, 8)}, {{"groups", std::int64_t{32}}});
  EXPECT_EQ(heads.parameters(), 128);
  EXPECT_EQ(heads.weights.front().features_out, 1);
  EXPECT_THAT(refusal_on("rms_norm", {text_of(10, 8)}, {{"groups", std::int64_t{3}}}),
              HasSubstr("3 groups do not divide 10 channels"));
}

TEST(Rotary, TurnsPairsOfAHead) {
  const Layer layer = layer_on("rotary", {text_of(4096, 8192)}, {{"heads", std::int64_t{32}}});
  EXPECT_EQ(layer.flops(Pass::forward), 3.0 * 4096 * 8192);
  EXPECT_TRUE(layer.in_place);
  EXPECT_FALSE(layer.keeps_input || layer.keeps_output || layer.trainable());
  const Layer part = layer_on("rotary", {text_of(2560, 8)},
                              {{"heads", std::int64_t{32}}, {"features", std::int64_t{32}}});
  EXPECT_EQ(part.flops(Pass::forward), 3.0 * 32 * 32 * 8);
  EXPECT_THAT(refusal_on("rotary", {text_of(12, 8)}, {{"heads", std::int64_t{4}}}),
              HasSubstr("3 channels of a head of 3 cannot be turned in pairs"));
}

TEST(Gate, KeepsBothInputs) {
  const Layer layer = layer_on("gate", {text_of(14336, 8192), text_of(14336, 8192)});
  EXPECT_EQ(layer.flops(Pass::forward), 5.0 * 14336 * 8192);
  EXPECT_EQ(layer.variant, "silu");
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_FALSE(layer.keeps_output);
  EXPECT_THAT(refusal_on("gate", {text_of(4, 8), text_of(5, 8)}),
              HasSubstr("a gate has the shape of what it lets through"));
}

TEST(AddedRows, TrainsRowsThatAreNotRead) {
  const Layer layer =
      layer_on("added_rows", {text_of(768, 100)}, {{"entries", std::int64_t{1024}}});
  EXPECT_EQ(layer.parameters(), 786'432);
  EXPECT_EQ(layer.of(Pass::backward_data), PassWork{});
  EXPECT_THAT(refusal_on("added_rows", {text_of(768, 100)}, {{"entries", std::int64_t{99}}}),
              HasSubstr("it has 99 rows and 100 positions"));
  const Layer segments = layer_on("added_rows", {text_of(768, 100)},
                                  {{"entries", std::int64_t{2}}, {"by", std::string("segment")}});
  EXPECT_EQ(segments.parameters(), 1536);
}

TEST(PrependedRows, LengthenASequence) {
  const Layer layer =
      layer_on("prepended_rows", {text_of(768, 196)}, {{"entries", std::int64_t{1}}});
  EXPECT_EQ(layer.output, text_of(768, 197));
  EXPECT_EQ(layer.parameters(), 768);
  EXPECT_EQ(layer.weights.front().features_out, 768);
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.flops(Pass::forward), 0);
  // dy of one position.
  EXPECT_DOUBLE_EQ(layer.flops(Pass::backward_weights), 768);
  Shape image;
  image[Axis::channel] = 768;
  image[Axis::height] = image[Axis::width] = 14;
  EXPECT_THAT(refusal_on("prepended_rows", {image}, {{"entries", std::int64_t{1}}}),
              HasSubstr("must be a sequence"));
}

// 1024 positions read 512.5 on average: 2 products of 64 multiply-adds for each of 12 heads.
TEST(Attention, CountsThePairsThatTheMaskLeaves) {
  const std::vector<Shape> inputs(3, text_of(768, 1024));
  const Layer causal = layer_on("attention", inputs, kGpt2);
  EXPECT_EQ(per_token(causal), 1'574'400);
  EXPECT_EQ(per_token(causal, Pass::backward_data), 2.5 * 1'574'400);
  const Layer full = layer_on("attention", inputs, {{"heads", std::int64_t{12}}});
  EXPECT_EQ(per_token(full), 4.0 * 768 * 1024);
  EXPECT_EQ(full.multiply_adds(), 2.0 * 768 * 1024 * 1024);
}

TEST(Attention, SeesAWindow) {
  Attributes attributes = kGpt2;
  attributes.set("window", std::int64_t{256});
  const Layer layer = layer_on("attention", std::vector<Shape>(3, text_of(768, 1024)), attributes);
  const double pairs = 256.0 * 257 / 2 + (1024.0 - 256) * 256;
  EXPECT_DOUBLE_EQ(layer.flops(Pass::forward), 4 * 768 * pairs);
}

// Queries 256 to 767 of 1024 read 256.5 to 767.5 keys, 512.5 in the mean, as all 1024 do.
TEST(Attention, MayHaveAPartOfTheQueries) {
  const std::vector<Shape> part = {text_of(768, 512), text_of(768, 1024), text_of(768, 1024)};
  Attributes attributes = kGpt2, beyond = kGpt2;
  attributes.set("first", std::int64_t{256});
  EXPECT_EQ(per_token(layer_on("attention", part, attributes)), 1'574'400);
  attributes.set("window", std::int64_t{300});
  const double pairs = 300.0 * 301 / 2 + (768.0 - 300) * 300 - 256.0 * 257 / 2;
  EXPECT_DOUBLE_EQ(layer_on("attention", part, attributes).flops(Pass::forward), 4 * 768 * pairs);
  beyond.set("first", std::int64_t{513});
  EXPECT_THAT(refusal_on("attention", part, beyond), HasSubstr("do not make attention"));
  EXPECT_THAT(refusal_on("attention", part, kGpt2), HasSubstr("do not make attention"));
  EXPECT_THAT(
      refusal_on("attention", part, {{"heads", std::int64_t{12}}, {"first", std::int64_t{256}}}),
      HasSubstr("\"first\" without \"causal\""));
}

TEST(Attention, SharesKeysAndValuesAmongHeads) {
  const Layer layer =
      layer_on("attention", {text_of(4096, 16), text_of(1024, 16), text_of(1024, 16)},
               {{"heads", std::int64_t{32}}, {"kv_heads", std::int64_t{8}}});
  EXPECT_EQ(layer.output, text_of(4096, 16));
  EXPECT_EQ(layer.groups, 8);
  EXPECT_EQ(layer.other_elements, 2 * 1024 * 16);
  // The logarithm of a sum for each head and position, 4 bytes.
  EXPECT_DOUBLE_EQ(layer.mask_bytes_per_output * static_cast<double>(layer.output.elements()),
                   4.0 * 32 * 16);
}

// 128 heads whose keys have 192 features and whose values have 128.
TEST(Attention, KnowsValuesOfAnotherSize) {
  const Layer layer =
      layer_on("attention", {text_of(24576, 2), text_of(24576, 2), text_of(16384, 2)},
               {{"heads", std::int64_t{128}}});
  EXPECT_EQ(layer.output, text_of(16384, 2));
  EXPECT_DOUBLE_EQ(layer.flops(Pass::forward), 2.0 * 128 * 4 * (192 + 128));
  EXPECT_DOUBLE_EQ(layer.flops(Pass::backward_data), 2.0 * 128 * 4 * (3 * 192 + 2 * 128));
}

// 64 windows of 49 tokens, 3 heads of 32: each token reads 49.
TEST(Attention, StaysInItsBlock) {
  const Layer layer = layer_on("attention", std::vector<Shape>(3, text_of(96, 3136)),
                               {{"heads", std::int64_t{3}}, {"within", std::int64_t{49}}});
  EXPECT_EQ(layer.multiply_adds(), 2.0 * 96 * 3136 * 49);
  EXPECT_EQ(layer.variant, "within");
  EXPECT_THAT(refusal_on("attention", std::vector<Shape>(3, text_of(96, 3137)),
                         {{"heads", std::int64_t{3}}, {"within", std::int64_t{49}}}),
              HasSubstr("blocks of 49 do not divide 3137 positions"));
  EXPECT_THAT(
      refusal_on("attention", std::vector<Shape>(3, text_of(96, 98)),
                 {{"heads", std::int64_t{3}}, {"within", std::int64_t{49}}, {"causal", true}}),
      HasSubstr("leave out \"causal\""));
}

// A number for each of 32 distances and 8 heads; its gradient sums over 8 heads' pairs.
TEST(Attention, HasATableOfRelativePositions) {
  const std::vector<Shape> inputs(3, text_of(512, 128));
  const Layer plain = layer_on("attention", inputs, {{"heads", std::int64_t{8}}});
  const Layer layer =
      layer_on("attention", inputs, {{"heads", std::int64_t{8}}, {"relative", std::int64_t{32}}});
  EXPECT_EQ(plain.parameters(), 0);
  EXPECT_EQ(layer.parameters(), 256);
  EXPECT_EQ(layer.weights.front().features_out, 8);
  EXPECT_EQ(layer.flops(Pass::forward), plain.flops(Pass::forward));
  EXPECT_EQ(layer.flops(Pass::backward_weights), 8.0 * 128 * 128);
}

TEST(Attention, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      refusal_on("attention", std::vector<Shape>(3, text_of(10, 4)), {{"heads", std::int64_t{4}}}),
      HasSubstr("do not make attention of 4 heads"));
  EXPECT_THAT(refusal_on("attention", std::vector<Shape>(3, text_of(8, 4)),
                         {{"heads", std::int64_t{4}}, {"window", std::int64_t{2}}}),
              HasSubstr("a window without \"causal\""));
}

TEST(Multiply, TakesAValuePerPosition) {
  const Layer layer = layer_on("multiply", {text_of(64, 16), text_of(1, 16)});
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.of(Pass::forward).input_touches, 1);
}

}  // namespace transformer_test
}  // namespace oracle
