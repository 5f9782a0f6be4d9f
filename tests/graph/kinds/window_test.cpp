#include "oracle/graph/kinds/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace window_test {

using testing::ElementsAre;
using testing::HasSubstr;

using List = std::vector<std::int64_t>;
constexpr std::int64_t kOne = 1;

struct Case {
  std::int64_t in, kernel, stride, pad, dilation, ceil, out;
};

Layer pooled(const Case& c) {
  return one_layer("pool", shape_of(1, {c.in, c.in}),
                   {{"kernel", c.kernel},
                    {"stride", c.stride},
                    {"pad", c.pad},
                    {"dilation", c.dilation},
                    {"ceil", c.ceil != 0}});
}

TEST(Window, GivesTheExtentsOfPyTorch) {
  // Output extents as torch.nn.MaxPool2d documents them, worked by hand.
  for (const Case& c :
       {Case{224, 7, 2, 3, 1, 0, 112}, Case{112, 3, 2, 1, 1, 0, 56}, Case{112, 3, 2, 0, 1, 0, 55},
        Case{112, 3, 2, 0, 1, 1, 56}, Case{7, 2, 2, 0, 1, 0, 3}, Case{7, 2, 2, 0, 1, 1, 4},
        Case{5, 2, 2, 1, 1, 1, 3}, Case{10, 3, 1, 0, 2, 0, 6}}) {
    const Layer layer = pooled(c);
    EXPECT_EQ(layer.output[Axis::height], c.out) << c.in << " " << c.kernel;
    EXPECT_EQ(layer.output[Axis::depth], 1);
    EXPECT_EQ(slide(layer.window, layer.input), layer.output) << "the window alone must say it";
  }
}

TEST(Window, RoundsUpByPaddingAfterTheInput) {
  EXPECT_THAT(pooled({112, 3, 2, 0, 1, 1, 56}).window.pad_after, ElementsAre(0, 1, 1));
  // A third window would start at 4, in the padding after an input of 3 padded by 1.
  EXPECT_EQ(pooled({3, 2, 2, 1, 1, 1, 2}).output[Axis::height], 2);
}

TEST(Window, TakesOneExtentPerAxis) {
  const Layer layer = one_layer("convolution", shape_of(4, {17, 17}),
                                {{"features", kOne}, {"kernel", List{1, 7}}, {"pad", List{0, 3}}});
  EXPECT_EQ(to_text(layer.output), "1x17x17");
  EXPECT_EQ(layer.reduction, 28);
  EXPECT_THAT(layer.window.kernel, ElementsAre(1, 1, 7));
}

TEST(Window, TakesThreeAxesAndOne) {
  const Attributes cube{{"features", kOne}, {"kernel", std::int64_t{3}}, {"stride", List{1, 2, 3}}};
  EXPECT_EQ(to_text(one_layer("convolution", shape_of(2, {9, 9, 9}), cube).output), "1x7x4x3");
  const Layer line =
      one_layer("convolution", shape_of(2, {9}), {{"features", kOne}, {"kernel", std::int64_t{3}}});
  EXPECT_EQ(line.output[Axis::width], 7);
  EXPECT_EQ(line.output[Axis::height], 1);
}

TEST(Window, PadsTheSidesApart) {
  const Layer layer =
      one_layer("convolution", shape_of(2, {8, 8}),
                {{"features", kOne}, {"kernel", std::int64_t{2}}, {"pad_after", std::int64_t{1}}});
  EXPECT_EQ(to_text(layer.output), "1x8x8");
  EXPECT_THAT(layer.window.pad_before, ElementsAre(0, 0, 0));
  EXPECT_THAT(layer.window.pad_after, ElementsAre(0, 1, 1));
}

TEST(Window, RefusesWhatDoesNotFit) {
  const Attributes seven{{"features", kOne}, {"kernel", std::int64_t{7}}, {"pad", kOne}};
  EXPECT_THAT(refusal("convolution", shape_of(3, {8, 4}), seven),
              HasSubstr("a window of 7 does not fit a width of 6 (padding included)"));
  EXPECT_THAT(refusal("convolution", shape_of(3), seven), HasSubstr("input is flat"));
  const std::int64_t most = (std::int64_t{1} << 31) - 1;
  EXPECT_THAT(refusal("convolution", shape_of(3, {8, 8}),
                      {{"features", kOne}, {"kernel", kOne}, {"pad", most}}),
              HasSubstr("its output would have 2^53 elements"));
  EXPECT_THAT(refusal("transposed_convolution", shape_of(3, {8, 8}),
                      {{"features", kOne}, {"kernel", most}}),
              HasSubstr("its output would have 2^53 elements"));
  EXPECT_THAT(refusal("convolution", shape_of(3, {8, 8}), {{"features", kOne}}),
              HasSubstr("\"kernel\" is missing"));
  EXPECT_THAT(refusal("convolution", shape_of(3, {8, 8}),
                      {{"features", kOne}, {"kernel", kOne}, {"pad", kOne}, {"pad_after", kOne}}),
              HasSubstr("\"pad\" is given together"));
  EXPECT_THAT(refusal("convolution", shape_of(3, {8, 8}),
                      {{"features", kOne}, {"kernel", kOne}, {"stride", std::int64_t{0}}}),
              HasSubstr("\"stride\" is 0"));
}

}  // namespace window_test
}  // namespace oracle
