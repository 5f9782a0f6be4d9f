#include "oracle/io/onnx/shapes.h"

#include <gtest/gtest.h>
#include <limits>

#include "tests/io/onnx/written_model.h"

namespace oracle::onnx {
namespace shapes_test {

TEST(OnnxShapes, AreBroadcastFromTheLastAxis) {
  EXPECT_EQ(broadcast({3, 1, 5}, {4, 1}), (Integers{3, 4, 5}));
  EXPECT_EQ(broadcast({}, {2}), Integers{2});
  EXPECT_THROW(broadcast({3}, {4}), InputError);
}

TEST(OnnxShapes, AReshapeFillsInWhatIsOpen) {
  EXPECT_EQ(reshape_of({0, -1}, {61, 4, 5}, false), (Integers{61, 20}));
  EXPECT_EQ(reshape_of({-1, 5}, {61, 4, 5}, false), (Integers{244, 5}));
  EXPECT_THROW(reshape_of({7, -1}, {61, 4, 5}, false), InputError);
  EXPECT_THROW(reshape_of({-1, -1}, {4}, false), InputError);
}

TEST(OnnxShapes, ASliceIsClampedAsOnnxSays) {
  const auto count = [](std::int64_t start, std::int64_t end, std::int64_t step) {
    return slice_of({10}, {start}, {end}, {}, {step}).front().count;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(count(2, kMost, 1), 8);
  EXPECT_EQ(count(-3, kMost, 2), 2);
  EXPECT_EQ(count(kLeast, 4, 1), 4);
  EXPECT_EQ(count(-1, kLeast, -1), 10);
  EXPECT_EQ(count(9, 0, -3), 3);
  EXPECT_EQ(count(5, 5, 1), 0);
  EXPECT_THROW(count(0, 1, 0), InputError);
}

TEST(OnnxShapes, ASplitHasItsPartsOrEqualOnes) {
  EXPECT_EQ(split_of(10, {}, 3), (Integers{4, 4, 2}));
  EXPECT_EQ(split_of(10, {7, 3}, 2), (Integers{7, 3}));
  EXPECT_THROW(split_of(10, {7, 4}, 2), InputError);
}

TEST(OnnxShapes, AnOrderNamesEachAxisOnce) {
  EXPECT_EQ(order_of(node("Transpose", {"x"}, "y"), 3), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_THROW(order_of(node("Transpose", {"x"}, "y", {list("perm", {0, 0})}), 2), InputError);
}

}  // namespace shapes_test
}  // namespace oracle::onnx
