#include "oracle/io/onnx/axes.h"

#include <gtest/gtest.h>

namespace oracle::onnx {
namespace axes_test {

constexpr Extent kSamples{Axis::sample, 1};

Shape image() {
  Shape shape;
  shape[Axis::channel] = 768;
  shape[Axis::height] = 14;
  shape[Axis::width] = 14;
  return shape;
}

TEST(OnnxAxes, AreOrderedAsTheirReaderWantsThem) {
  EXPECT_EQ(channels_first(image(), 4),
            (Axes{kSamples, {Axis::channel, 768}, {Axis::height, 14}, {Axis::width, 14}}));
  EXPECT_EQ(channels_last(image(), 4),
            (Axes{kSamples, {Axis::height, 14}, {Axis::width, 14}, {Axis::channel, 768}}));
  EXPECT_EQ(shape_of(channels_last(image(), 4)), image());
}

TEST(OnnxAxes, PositionsThatAreJoinedAreWidth) {
  const Axes tokens = reshaped(channels_first(image(), 4), {768, 196});
  EXPECT_EQ(tokens, (Axes{kSamples, {Axis::channel, 768}, {Axis::width, 196}}));
  EXPECT_EQ(to_text(shape_of(tokens)), "768x196");
}

TEST(OnnxAxes, HeadsAreChannels) {
  const Axes tokens = {kSamples, {Axis::width, 196}, {Axis::channel, 768}};
  const Axes heads = reshaped(tokens, {196, 12, 64});
  EXPECT_EQ(heads, (Axes{kSamples, {Axis::width, 196}, {Axis::channel, 12}, {Axis::channel, 64}}));
  EXPECT_EQ(shape_of(heads), shape_of(tokens));
  EXPECT_EQ(reshaped(heads, {196, 768}), tokens);
}

TEST(OnnxAxes, ChannelsJoinedWithPositionsAreChannels) {
  EXPECT_EQ(reshaped(channels_first(image(), 4), {32, 4704}),
            (Axes{kSamples, {Axis::channel, 32}, {Axis::channel, 4704}}));
}

TEST(OnnxAxes, OfExtentOneMeanNothing) {
  const Axes a = {kSamples, {Axis::channel, 8}, {Axis::width, 1}};
  const Axes b = {kSamples, {Axis::channel, 8}, {Axis::channel, 1}};
  EXPECT_TRUE(same_meaning(a, b));
  EXPECT_FALSE(same_meaning(a, {{Axis::channel, 8}, kSamples, {Axis::width, 1}}));
  EXPECT_FALSE(same_meaning(a, {kSamples, {Axis::width, 8}, {Axis::width, 1}}));
  EXPECT_EQ(reshaped(a, {8, 1, 1}).size(), 4U);
}

}  // namespace axes_test
}  // namespace oracle::onnx
