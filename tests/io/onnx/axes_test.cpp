#include "oracle/io/onnx/axes.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle::onnx {
namespace axes_test {

constexpr std::int64_t kBatch = 61;
const Dim kSamples{Axis::sample, kBatch};

Shape image() {
  Shape shape;
  shape[Axis::channel] = 768;
  shape[Axis::height] = 14;
  shape[Axis::width] = 14;
  return shape;
}

TEST(OnnxAxes, AreOrderedAsTheirReaderWantsThem) {
  EXPECT_EQ(channels_first(image(), 4, kBatch),
            (Axes{kSamples, {Axis::channel, 768}, {Axis::height, 14}, {Axis::width, 14}}));
  EXPECT_EQ(channels_last(image(), 4, kBatch),
            (Axes{kSamples, {Axis::height, 14}, {Axis::width, 14}, {Axis::channel, 768}}));
  EXPECT_EQ(shape_of(channels_last(image(), 4, kBatch)), image());
}

TEST(OnnxAxes, PositionsThatAreJoinedAreWidth) {
  const Axes tokens = reshaped(channels_first(image(), 4, kBatch), {kBatch, 768, 196});
  EXPECT_EQ(tokens, (Axes{kSamples, {Axis::channel, 768}, {Axis::width, 196}}));
  EXPECT_EQ(to_text(shape_of(tokens)), "768x196");
}

TEST(OnnxAxes, HeadsAreChannels) {
  const Axes tokens = {kSamples, {Axis::width, 196}, {Axis::channel, 768}};
  const Axes heads = reshaped(tokens, {kBatch, 196, 12, 64});
  EXPECT_EQ(heads, (Axes{kSamples, {Axis::width, 196}, {Axis::channel, 12}, {Axis::channel, 64}}));
  EXPECT_EQ(shape_of(heads), shape_of(tokens));
  EXPECT_EQ(reshaped(heads, {kBatch, 196, 768}), tokens);
}

TEST(OnnxAxes, ChannelsJoinedWithPositionsAreChannels) {
  EXPECT_EQ(reshaped(channels_first(image(), 4, kBatch), {kBatch, 32, 4704}),
            (Axes{kSamples, {Axis::channel, 32}, {Axis::channel, 4704}}));
}

TEST(OnnxAxes, OfExtentOneMeanNothing) {
  const Axes a = {kSamples, {Axis::channel, 8}, {Axis::width, 1}};
  EXPECT_EQ(a, (Axes{kSamples, {Axis::channel, 8}, {Axis::channel, 1}}));
  EXPECT_NE(a, (Axes{{Axis::channel, 8}, kSamples, {Axis::width, 1}}));
  EXPECT_EQ(reshaped(a, {kBatch, 8, 1, 1}).size(), 4U);
}

// Windows of a Swin transformer: 56x56 in windows of 7x7, folded into the batch and back.
TEST(OnnxAxes, PositionsAreFoldedIntoTheBatchAndBack) {
  const Axes split = {kSamples,          {Axis::height, 8}, {Axis::width, 8},
                      {Axis::height, 7}, {Axis::width, 7},  {Axis::channel, 96}};
  const Axes folded = reshaped(split, {kBatch * 64, 49, 96});
  ASSERT_EQ(folded.size(), 3U);
  EXPECT_EQ(folded[0].extent(), kBatch * 64);
  EXPECT_EQ(folded[0].per_sample(), 64);
  EXPECT_FALSE(folded[0].is_samples());
  EXPECT_EQ(shape_of(folded).positions(), 56 * 56);
  const Axes back = reshaped(folded, {kBatch, 8, 8, 7, 7, 96});
  EXPECT_TRUE(back[0].is_samples());
  EXPECT_EQ(extents_of(back), extents_of(split));
}

// With the tokens first, the batch lies between them and the heads.
TEST(OnnxAxes, TheBatchMayLieBetweenOthers) {
  const Axes tokens = {{Axis::width, 20}, kSamples, {Axis::channel, 48}};
  const Axes heads = reshaped(tokens, {20, kBatch * 4, 12});
  EXPECT_EQ(heads[1].samples(), kBatch);
  EXPECT_EQ(heads[1].per_sample(), 4);
  const Axes joined = reshaped(tokens, {20 * kBatch, 48});
  EXPECT_EQ(joined[0].per_sample(), 20);
  EXPECT_EQ(reshaped(joined, {20, kBatch, 48}), tokens);
}

// A file with a batch of one folds it into constants: the sample goes with what follows it.
TEST(OnnxAxes, ABatchOfOneIsFollowed) {
  const Axes tokens = {{Axis::sample, 1}, {Axis::width, 64}, {Axis::channel, 96}};
  EXPECT_TRUE(reshaped(tokens, {1, 8, 8, 96})[0].is_samples());
  const Axes windows = reshaped(tokens, {64, 96});
  EXPECT_TRUE(windows[0].has_samples());
  EXPECT_EQ(windows[0].per_sample(), 64);
  // Tokens first: joined with the tokens, or with the heads that the features are taken apart into.
  const Axes turned = {{Axis::width, 20}, {Axis::sample, 1}, {Axis::channel, 48}};
  EXPECT_TRUE(reshaped(turned, {20, 48})[0].has_samples());
  EXPECT_TRUE(reshaped(turned, {20, 4, 12})[1].has_samples());
}

TEST(OnnxAxes, TheBatchIsNotTakenApart) {
  const Axes tokens = {{Axis::sample, 8}, {Axis::width, 6}};
  EXPECT_THROW(reshaped(tokens, {2, 4, 6}), InputError);
}

TEST(OnnxAxes, MorePositionsThanTheNetworkHasAreSaid) {
  try {
    written(image(), 1);
    FAIL() << "two spatial axes fit one";
  } catch (const MorePositions& more) {
    EXPECT_EQ(more.spatial_rank, 2U);
  }
}

}  // namespace axes_test
}  // namespace oracle::onnx
