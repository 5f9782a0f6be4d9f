#include "microbench/kernels/product_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace product_parts_test {

using testing::ElementsAre;

TEST(ProductParts, BeginAndEndWithinGroups) {
  EXPECT_THAT(segments_of(6, 15, 9),
              ElementsAre(Segment{0, 1, 6, 3, 0}, Segment{1, 1, 0, 9, 3}, Segment{2, 1, 0, 3, 12}));
}

TEST(ProductParts, AreOneOfWholeGroups) {
  EXPECT_THAT(segments_of(8, 16, 8), ElementsAre(Segment{1, 2, 0, 8, 0}));
}

TEST(ProductParts, MayLieWithinAGroup) {
  EXPECT_THAT(segments_of(10, 3, 8), ElementsAre(Segment{1, 1, 2, 3, 0}));
}

}  // namespace product_parts_test
}  // namespace oracle
