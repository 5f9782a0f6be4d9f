#include "oracle/io/onnx/fold/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/onnx/written_model.h"

namespace oracle::onnx {
namespace fold_test {

using testing::ElementsAre;

Tensor carried_out(const Node& node, const std::vector<Tensor>& inputs) {
  Call call{node, {}, 13};
  for (const Tensor& input : inputs) call.inputs.push_back(&input);
  return find_fold(node.type)(call).front();
}

Tensor shaped(Integers dims) { return {std::move(dims), true, {}, {}}; }

Tensor scalar(std::int64_t value) { return {{}, false, Integers{value}, {}}; }

TEST(OnnxFold, ShapeArithmeticIsCarriedOut) {
  const Tensor shape = carried_out(node("Shape", {"x"}, "s"), {shaped({61, 3, 8})});
  EXPECT_EQ(shape.integers, (Integers{61, 3, 8}));
  const Tensor batch = carried_out(node("Gather", {"s", "i"}, "b"), {shape, integers({0})});
  EXPECT_EQ(
      carried_out(node("Concat", {"b", "m"}, "t", {whole("axis", 0)}), {batch, integers({-1})})
          .integers,
      (Integers{61, -1}));
}

TEST(OnnxFold, AShapeHasAStartAndAnEnd) {
  const Node part = node("Shape", {"x"}, "s", {whole("start", -2), whole("end", -1)});
  EXPECT_EQ(carried_out(part, {shaped({61, 3, 8, 9})}).integers, Integers{8});
}

TEST(OnnxFold, IntegersAreBroadcast) {
  const auto result = [](const char* type, const Tensor& a, const Tensor& b) {
    return *carried_out(node(type, {"a", "b"}, "c"), {a, b}).integers;
  };
  EXPECT_THAT(result("Add", integers({1, 2}), scalar(10)), ElementsAre(11, 12));
  EXPECT_THAT(result("Div", integers({-7, 7}), scalar(2)), ElementsAre(-3, 3));
  EXPECT_THAT(result("Mod", integers({-7, 7}), scalar(4)), ElementsAre(1, 3));
  EXPECT_THAT(result("Max", integers({1, 5}), scalar(3)), ElementsAre(3, 5));
  EXPECT_THAT(result("Equal", integers({1, 5}), scalar(5)), ElementsAre(0, 1));
  EXPECT_THAT(result("Pow", integers({2, 3}), scalar(4)), ElementsAre(16, 81));
  EXPECT_THROW(result("Div", integers({1}), scalar(0)), InputError);
}

TEST(OnnxFold, WhatOverflowsIsNotKnown) {
  const Tensor large = scalar(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(carried_out(node("Add", {"a", "b"}, "c"), {large, scalar(1)}).integers);
  EXPECT_FALSE(carried_out(node("Mul", {"a", "b"}, "c"), {large, scalar(2)}).integers);
}

// The shape of a class token that PyTorch 1.13 expands: -1 stands for an extent that stays.
TEST(OnnxFold, ChoicesAreMade) {
  const Tensor chosen = carried_out(node("Where", {"t", "a", "b"}, "c"),
                                    {integers({0, 1}), integers({7, 8}), integers({1, 2})});
  EXPECT_EQ(chosen.integers, (Integers{1, 8}));
  const Tensor ones = carried_out(node("ConstantOfShape", {"n"}, "c"), {integers({3})});
  EXPECT_EQ(ones.reals, (Reals{0, 0, 0}));
}

TEST(OnnxFold, RangesAndSlicesGoBothWays) {
  const auto range = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return *carried_out(node("Range", {"a", "b", "c"}, "r"), {scalar(a), scalar(b), scalar(c)})
                .integers;
  };
  EXPECT_THAT(range(0, 7, 3), ElementsAre(0, 3, 6));
  EXPECT_THAT(range(5, 0, -2), ElementsAre(5, 3, 1));
  EXPECT_TRUE(range(3, 3, 1).empty());
  const Tensor flipped = carried_out(
      node("Slice", {"x", "s", "e", "a", "t"}, "y"),
      {integers({1, 2, 3}), integers({-1}), integers({std::numeric_limits<std::int64_t>::min()}),
       integers({0}), integers({-1})});
  EXPECT_EQ(flipped.integers, (Integers{3, 2, 1}));
}

TEST(OnnxFold, ElementsMoveWithTheirAxes) {
  const Tensor matrix{{2, 3}, false, Integers{1, 2, 3, 4, 5, 6}, {}};
  const Tensor turned = carried_out(node("Transpose", {"x"}, "y"), {matrix});
  EXPECT_EQ(turned.dims, (Integers{3, 2}));
  EXPECT_EQ(turned.integers, (Integers{1, 4, 2, 5, 3, 6}));
  const Tensor rows =
      carried_out(node("Gather", {"x", "i"}, "y", {whole("axis", 1)}), {matrix, integers({2, 0})});
  EXPECT_EQ(rows.integers, (Integers{3, 1, 6, 4}));
  const Tensor wide = carried_out(node("Expand", {"x", "s"}, "y"),
                                  {Tensor{{2, 1}, false, Integers{1, 2}, {}}, integers({2, 2})});
  EXPECT_EQ(wide.integers, (Integers{1, 1, 2, 2}));
}

// Weight norm keeps v and g, and what is computed from them knows both.
TEST(OnnxFold, WhatIsComputedKnowsWhatIsStored) {
  Tensor v = shaped({16, 27}), g = shaped({16, 1});
  v.sources = {{"v", 432}};
  g.sources = {{"g", 16}};
  const Tensor w = carried_out(node("Mul", {"v", "g"}, "w"), {v, g});
  EXPECT_EQ(w.dims, (Integers{16, 27}));
  EXPECT_EQ(w.stored(), 448);
  const Tensor part = carried_out(node("Transpose", {"w"}, "t"), {w});
  EXPECT_EQ(part.stored(), 448);
}

TEST(OnnxFold, LargeTensorsKeepTheirExtentsAlone) {
  const Tensor large =
      carried_out(node("Expand", {"x", "s"}, "y"), {scalar(1), integers({1'000'000, 1'000'000})});
  EXPECT_EQ(large.dims, (Integers{1'000'000, 1'000'000}));
  EXPECT_FALSE(large.integers);
}

}  // namespace fold_test
}  // namespace oracle::onnx
