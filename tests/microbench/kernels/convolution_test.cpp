#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace kernels_convolution_test {

struct Case {
  const char* name;
  std::int64_t samples;
  Extents input;
  Attributes attributes;
};

using List = std::vector<std::int64_t>;

class Convolution : public testing::TestWithParam<Case> {};

TEST_P(Convolution, MatchesReference) {
  const Case& c = GetParam();
  const OneLayer one("convolution", c.input, c.attributes);
  expect_like_reference(random_trial(one.whole(c.samples)));
}

const Case kCases[] = {
    {"small", 1, {1, 1, 1, 5, 5}, {{"features", 1}, {"kernel", 3}, {"pad", 1}}},
    {"first", 2, {1, 3, 1, 23, 23}, {{"features", 16}, {"kernel", 7}, {"stride", 2}, {"pad", 3}}},
    {"pointwise", 3, {1, 32, 1, 7, 9}, {{"features", 48}, {"kernel", 1}, {"bias", false}}},
    {"pointwise_strided", 2, {1, 32, 1, 9, 9}, {{"features", 16}, {"kernel", 1}, {"stride", 2}}},
    {"pointwise_leftover", 2, {1, 32, 1, 8, 8}, {{"features", 16}, {"kernel", 1}, {"stride", 2}}},
    {"blocked", 2, {1, 32, 1, 11, 13}, {{"features", 32}, {"kernel", 3}, {"pad", 1}}},
    {"odd_channels", 3, {1, 21, 1, 9, 8}, {{"features", 33}, {"kernel", 3}, {"pad", 1}}},
    {"asymmetric",
     2,
     {1, 16, 1, 9, 9},
     {{"features", 16},
      {"kernel", 3},
      {"stride", 2},
      {"pad_before", List{0, 1}},
      {"pad_after", List{1, 0}}}},
    {"dilated",
     2,
     {1, 16, 1, 15, 15},
     {{"features", 32}, {"kernel", 3}, {"dilation", 3}, {"pad", 3}}},
    {"grouped", 2, {1, 12, 1, 9, 9}, {{"features", 24}, {"kernel", 3}, {"groups", 3}, {"pad", 1}}},
    {"grouped_blocked",
     2,
     {1, 64, 1, 8, 8},
     {{"features", 64}, {"kernel", 3}, {"groups", 2}, {"pad", 1}, {"bias", false}}},
    {"depthwise",
     2,
     {1, 32, 1, 10, 10},
     {{"features", 32}, {"kernel", 3}, {"groups", 32}, {"pad", 1}, {"stride", 2}}},
    {"depthwise_odd",
     2,
     {1, 19, 1, 7, 7},
     {{"features", 19}, {"kernel", 5}, {"groups", 19}, {"pad", 2}, {"bias", false}}},
    {"line", 2, {1, 8, 1, 1, 31}, {{"features", 16}, {"kernel", 5}, {"stride", 3}, {"pad", 2}}},
    {"volume", 2, {1, 4, 6, 7, 8}, {{"features", 16}, {"kernel", 3}, {"pad", 1}}},
    {"volume_blocked",
     1,
     {1, 16, 5, 6, 7},
     {{"features", 32},
      {"kernel", List{2, 3, 1}},
      {"stride", List{1, 2, 1}},
      {"dilation", List{2, 1, 1}}}},
};

INSTANTIATE_TEST_SUITE_P(Shapes, Convolution, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ConvolutionReference, IsConsistent) {
  const OneLayer one("convolution", {1, 4, 1, 5, 4},
                     {{"features", 6}, {"kernel", 3}, {"groups", 2}, {"stride", 2}, {"pad", 1}});
  expect_reference_consistent(random_trial(one.whole(2)));
}

}  // namespace kernels_convolution_test
}  // namespace oracle
