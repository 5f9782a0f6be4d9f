#include "oracle/cost/beside_products.h"

#include <array>
#include <gtest/gtest.h>

namespace oracle {
namespace cost_beside_products_test {

Seconds beside(std::int64_t pieces, double message) {
  const std::array<Cost, 3> items = {Cost{Seconds{message}}, Cost{Seconds{1.5e-3}},
                                     Cost{Seconds{0.5e-3}}};
  return beside_products({0, pieces, {1, 2}}, items);
}

TEST(BesideProductsCost, WorkedExample) {
  EXPECT_NEAR(beside(4, 3e-3).value, 1.5e-3, 1e-12);
  EXPECT_NEAR(beside(1, 3e-3).value, 2e-3, 1e-12);
}

TEST(BesideProductsCost, AShortMessageIsHiddenWhole) {
  EXPECT_NEAR(beside(4, 1e-3).value, 1e-3, 1e-12);
  EXPECT_EQ(beside(4, 0).value, 0);
}

}  // namespace cost_beside_products_test
}  // namespace oracle
