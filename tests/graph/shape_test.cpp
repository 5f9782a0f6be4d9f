#include "oracle/graph/shape.h"

#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace shape_test {

TEST(Shape, CountsPositionsAndElements) {
  const Shape shape = shape_of(64, {4, 8, 16});
  EXPECT_EQ(shape.channels(), 64);
  EXPECT_EQ(shape.positions(), 512);
  EXPECT_EQ(shape.elements(), 32768);
}

TEST(Shape, IsWrittenWithTheAxesItHas) {
  EXPECT_EQ(to_text(shape_of(64, {112, 112})), "64x112x112");
  EXPECT_EQ(to_text(shape_of(4, {128, 64, 32})), "4x128x64x32");
  EXPECT_EQ(to_text(shape_of(4096)), "4096");
}

TEST(Shape, NamesItsAxes) {
  EXPECT_EQ(name_of(Axis::channel), "channel");
  EXPECT_EQ(name_of(Axis::sequence), "sequence");
}

}  // namespace shape_test
}  // namespace oracle
