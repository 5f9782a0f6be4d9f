#include "microbench/kernels/gpu/device/movement/places.h"

#include <gtest/gtest.h>

namespace oracle::gpu {
namespace places_test {

TEST(Places, WorkedExample) {
  const std::int64_t extents[3] = {1, 2, 2};
  const At at = place(extents, 4, 14);
  EXPECT_EQ(at.sample, 0);
  EXPECT_EQ(at.channel, 2);
  EXPECT_EQ(at.p[1], 1);
  EXPECT_EQ(at.p[2], 1);
  EXPECT_EQ(place(extents, 4, 16).sample, 1);
}

}  // namespace places_test
}  // namespace oracle::gpu
