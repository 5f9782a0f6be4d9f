#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"
#include "tests/graph/several_inputs.h"

namespace oracle {
namespace reshape_test {

using testing::HasSubstr;
using Extents = std::vector<std::int64_t>;

TEST(Reshape, IsAViewThatKeepsTheCutOfWhatStays) {
  const Layer tokens =
      one_layer("reshape", shape_of(768, {14, 14}), {{"extents", Extents{1, 196}}});
  EXPECT_EQ(to_text(tokens.output), "768x196");
  EXPECT_EQ(tokens.mixing, Mixing::channelwise);
  EXPECT_EQ(tokens.reach, Reach::whole);
  EXPECT_EQ(tokens.of(Pass::forward), PassWork{});
  EXPECT_TRUE(tokens.in_place);
  const Layer image = one_layer("reshape", shape_of(4096, {1, 1}),
                                {{"features", std::int64_t{256}}, {"extents", std::int64_t{4}}}, 2);
  EXPECT_EQ(to_text(image.output), "256x4x4");
  EXPECT_EQ(image.mixing, Mixing::whole);
}

TEST(Reshape, MakesPositionsTokensAndBack) {
  const Layer tokens =
      one_layer("reshape", shape_of(64, {28, 28}), {{"sequence", std::int64_t{784}}});
  EXPECT_EQ(tokens.output[Axis::sequence], 784);
  EXPECT_EQ(tokens.output.channels(), 64);
  EXPECT_EQ(tokens.output.positions(), 784);
  EXPECT_EQ(tokens.mixing, Mixing::channelwise);
  EXPECT_THAT(refusal("reshape", shape_of(64, {28, 28}), {{"sequence", std::int64_t{783}}}),
              HasSubstr("another number of elements"));
}

TEST(Slice, TakesTheFirstTokens) {
  Shape text;
  text[Axis::channel] = 768;
  text[Axis::sequence] = 197;
  const Layer first = layer_on("slice", {text}, {{"sequence", std::int64_t{1}}});
  EXPECT_EQ(to_text(first.output), "768");
  EXPECT_EQ(first.mixing, Mixing::channelwise);
}

TEST(Reshape, KeepsTheNumberOfElements) {
  EXPECT_THAT(refusal("reshape", shape_of(768, {14, 14}), {{"features", std::int64_t{767}}}),
              HasSubstr("its input is 768x14x14 and its output 767x14x14"));
}

TEST(Slice, ReadsItsPartAndWritesAWholeGradient) {
  const Layer layer = one_layer("slice", shape_of(2304, {196}), {{"features", std::int64_t{768}}});
  EXPECT_EQ(to_text(layer.output), "768x196");
  const auto touched = [&](Pass pass) {
    return layer.of(pass).input_touches * 2304 * 196 + layer.of(pass).output_touches * 768 * 196;
  };
  EXPECT_EQ(touched(Pass::forward), 301'056);        // 2 · 768·196
  EXPECT_EQ(touched(Pass::backward_data), 602'112);  // 768·196 + 2304·196
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.reach, Reach::pointwise);
}

TEST(Slice, BeginsWhereItSays) {
  const Layer layer = one_layer("slice", shape_of(48, {5, 4}),
                                {{"features", std::int64_t{16}},
                                 {"begin_features", std::int64_t{32}},
                                 {"extents", Extents{2, 3}},
                                 {"begin", Extents{3, 1}}});
  EXPECT_EQ(layer.begin[static_cast<std::size_t>(Axis::channel)], 32);
  EXPECT_EQ(layer.begin[static_cast<std::size_t>(Axis::height)], 3);
  EXPECT_EQ(layer.begin[static_cast<std::size_t>(Axis::width)], 1);
  EXPECT_THAT(refusal("slice", shape_of(8, {4}),
                      {{"features", std::int64_t{4}}, {"begin_features", std::int64_t{5}}}),
              HasSubstr("its input is 8x4 and has no part of 4x4 where it begins"));
}

TEST(Slice, IsNoLargerThanItsInput) {
  EXPECT_THAT(refusal("slice", shape_of(8, {4}), {{"features", std::int64_t{9}}}),
              HasSubstr("has no part of 9x4"));
}

}  // namespace reshape_test
}  // namespace oracle
