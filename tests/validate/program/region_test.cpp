#include "validate/program/region.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace region_test {

Region rows(Intervals heights) {
  Region region = whole_region({1, 2, 1, 8, 3});
  region.along[3] = std::move(heights);
  return region;
}

TEST(Region, JoinsItsIntervals) {
  EXPECT_EQ(rows({{0, 2}, {4, 6}}).extents(), (Extents{1, 2, 1, 4, 3}));
}

TEST(Region, IntersectsIntervalByInterval) {
  const Region both = intersection(rows({{0, 2}, {4, 6}}), rows({{1, 5}}));
  EXPECT_EQ(both.along[3], (Intervals{{1, 2}, {4, 5}}));
  EXPECT_EQ(intersection(rows({{0, 2}}), rows({{2, 4}})).elements(), 0);
}

TEST(Region, FindsAPartInTheLocalTensor) {
  const Region held = rows({{0, 2}, {4, 6}});
  const std::vector<Box> boxes = boxes_in(held, rows({{1, 2}, {4, 5}}));
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0], (Box{{0, 0, 0, 1, 0}, {1, 2, 1, 1, 3}}));
  EXPECT_EQ(boxes[1], (Box{{0, 0, 0, 2, 0}, {1, 2, 1, 1, 3}}));
}

TEST(Region, RefusesAPartThatIsNotHeld) {
  EXPECT_THROW(boxes_in(rows({{0, 2}}), rows({{1, 3}})), Defect);
}

}  // namespace region_test
}  // namespace oracle
