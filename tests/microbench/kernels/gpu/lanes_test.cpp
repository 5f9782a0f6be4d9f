// That each value is met once, and in lanes of one row or of the same columns where that is asked.

#include "microbench/kernels/gpu/device/runtime/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace oracle::gpu {
namespace lanes_test {

using testing::Each;

struct Met {
  explicit Met(std::int64_t values) : times(static_cast<std::size_t>(values)) {}
  template <int n>
  void meet(const Lanes<n>& at) {
    ++bodies;
    in_packs += n > 1 ? 1 : 0;
    for (int lane = 0; lane < n; ++lane) ++times[static_cast<std::size_t>(at.begin + lane)];
  }
  std::vector<int> times;  ///< by value
  int bodies = 0, in_packs = 0;
};

void wait() { ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess); }

TEST(Lanes, WorkedExample) {
  Met met(10);
  for_values<Bf16>(nullptr, 10, true, [&](auto at) { met.meet(at); });
  wait();
  EXPECT_THAT(met.times, Each(1));
  EXPECT_EQ(met.in_packs, 1);
  EXPECT_EQ(met.bodies, 3);

  Met by_rows(36);
  for_rows<Bf16>(nullptr, 36, 12, true, [&](auto at) { by_rows.meet(at); });
  wait();
  EXPECT_THAT(by_rows.times, Each(1));
  EXPECT_EQ(by_rows.bodies, 36);
}

TEST(Lanes, AreOneByOneWhereMemoryIsNotPacked) {
  Met met(16);
  for_values<Bf16>(nullptr, 16, false, [&](auto at) { met.meet(at); });
  wait();
  EXPECT_THAT(met.times, Each(1));
  EXPECT_EQ(met.in_packs, 0);
}

TEST(Lanes, OfColumnsStayInThem) {
  for (const std::int64_t channels : {1, 12, 16, 40}) {
    for (const std::int64_t rows : {1, 7, 8, 100}) {
      Met met(rows * channels);
      for_columns<Bf16>(nullptr, {1, rows, channels}, true, [&](auto first) {
        return [&, first](auto at) {
          EXPECT_EQ(at.begin % channels, first.begin);
          met.meet(at);
        };
      });
      wait();
      EXPECT_THAT(met.times, Each(1)) << rows << " rows of " << channels;
      EXPECT_EQ(met.in_packs > 0, channels % 8 == 0);
    }
  }
}

TEST(Lanes, ArePackedFromTheirOwnMultiplesOn) {
  alignas(16) const float values[12] = {};
  alignas(16) const Bf16 narrow[12] = {};
  EXPECT_TRUE(packed<float>(values, values + 4));
  EXPECT_FALSE(packed<float>(values, values + 2));
  EXPECT_TRUE(packed<Bf16>(narrow, values + 4));
  EXPECT_FALSE(packed<Bf16>(narrow + 4));
  const std::uint8_t* none = nullptr;
  EXPECT_TRUE(packed<Bf16>(none));
}

TEST(Lanes, LoadComputeAndStore) {
  alignas(16) const float from[4] = {1, -2, 3, -4};
  alignas(16) Bf16 to[4] = {};
  const Lanes<4> at{0};
  const auto value = at.of(from);
  at.store(to, [&](int lane) { return 2 * value[lane]; });
  EXPECT_EQ(wide(to[0]), 2);
  EXPECT_EQ(wide(to[3]), -8);
  EXPECT_EQ(at.of(static_cast<const float*>(nullptr), 7)[2], 7);
}

}  // namespace lanes_test
}  // namespace oracle::gpu
