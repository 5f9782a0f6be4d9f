#include "oracle/graph/limits.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace graph_limits_test {

constexpr std::int64_t kTwo26 = std::int64_t{1} << 26;

TEST(BoundedProduct, AllowsWhatADoubleHoldsExactly) {
  EXPECT_EQ(bounded_product({kTwo26, kTwo26}, "it"), std::int64_t{1} << 52);
  EXPECT_EQ(bounded_product({}, "it"), 1);
  EXPECT_EQ(bounded_product({kTwo26, 0, kTwo26}, "it"), 0);
}

TEST(BoundedProduct, RefusesMore) {
  EXPECT_THROW(bounded_product({kTwo26, kTwo26, 2}, "it"), InputError);
  EXPECT_THROW(bounded_product({kMostElements, kMostElements, kMostElements}, "it"), InputError);
}

}  // namespace graph_limits_test
}  // namespace oracle
