#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace matmul_test {

using testing::HasSubstr;

/// The product of 768 channels at 196 positions with as many.
Layer product(std::int64_t features, std::int64_t groups) {
  GraphBuilder builder("product");
  const LayerId input = builder.input(shape_of(768, {196}));
  const LayerId other = builder.add("other", "activation", {input});
  return builder.so_far()[builder.add("product", "matmul", {input, other},
                                      {{"features", features}, {"groups", groups}})];
}

// 12 heads of 64: each of the 12·196·196 scores is a sum of 64 products.
TEST(Matmul, MultipliesByHeads) {
  const Layer scores = product(12 * 196, 12);
  EXPECT_EQ(to_text(scores.output), "2352x196");
  EXPECT_EQ(scores.flops(Pass::forward), 2.0 * 12 * 196 * 196 * 64);
  EXPECT_EQ(scores.flops(Pass::backward_data), 2 * scores.flops(Pass::forward));
  EXPECT_EQ(scores.flops(Pass::backward_weights), 0);
  EXPECT_EQ(scores.parameters(), 0);
  EXPECT_TRUE(scores.keeps_input);
}

// Keys have what is summed for channels, values the output's features.
TEST(Matmul, KnowsFromTheShapesWhetherItsSecondInputIsTurned) {
  EXPECT_FALSE(product(12 * 196, 12).turned);
  GraphBuilder builder("values");
  const LayerId input = builder.input(shape_of(768, {196}));
  const LayerId values = builder.add("values", "activation", {input});
  const LayerId scores =
      builder.add("scores", "matmul", {input, values}, {{"features", 12 * 196}, {"groups", 12}});
  const auto mixed = [&](const char* name, const Attributes& attributes) {
    return builder.so_far()[builder.add(name, "matmul", {scores, values}, attributes)].turned;
  };
  EXPECT_TRUE(mixed("fits", {{"features", 768}, {"groups", 12}}));
  EXPECT_FALSE(mixed("said", {{"features", 768}, {"groups", 12}, {"turned", false}}));
}

// Forward reads 2·768·196 and writes 12·196·196; backward reads both and the gradient twice, and
// writes two gradients.
TEST(Matmul, TouchesBothOperands) {
  const Layer scores = product(12 * 196, 12);
  const double a = 768 * 196, y = 12 * 196 * 196;
  const PassWork& forward = scores.of(Pass::forward);
  const auto b = static_cast<double>(scores.other_elements);
  EXPECT_EQ(b, a);
  EXPECT_EQ(forward.input_touches * a + forward.other_touches * b + forward.output_touches * y,
            2 * a + y);
  const PassWork& backward = scores.of(Pass::backward_data);
  EXPECT_EQ(backward.input_touches * a + backward.other_touches * b + backward.output_touches * y,
            4 * a + 2 * y);
}

TEST(Matmul, IsShardedByGroupsAndByThePositionsOfItsFirstInput) {
  EXPECT_EQ(product(12 * 196, 12).mixing, Mixing::contraction);
  EXPECT_EQ(product(196, 1).mixing, Mixing::whole);
  EXPECT_EQ(product(196, 1).reach, Reach::pointwise);
  EXPECT_TRUE(product(196, 1).others_read_whole);
}

TEST(Matmul, WantsOperandsThatFit) {
  for (const auto& [features, groups] : {std::pair{196, 5}, std::pair{195, 1}, std::pair{392, 1}}) {
    EXPECT_THROW(product(features, groups), InputError) << features;
  }
}

}  // namespace matmul_test
}  // namespace oracle
