#include "microbench/kernels/cpu/storage_layout.h"

#include <gtest/gtest.h>
#include <set>

namespace oracle {
namespace storage_layout_test {

TEST(StorageLayout, BlocksFillUpWithZeros) {
  const StorageLayout layout{{1, 3, 1, 1, 2}, 2};
  EXPECT_EQ(layout.offset(0, 2, 1), 6);
  EXPECT_EQ(layout.stored(), 8);
  EXPECT_TRUE(layout.filled_up());
}

TEST(StorageLayout, EveryValueHasAPlaceOfItsOwn) {
  for (const std::int64_t block : {1, 2, 4, 7}) {
    const StorageLayout layout{{2, 7, 2, 3, 2}, block};
    std::set<std::int64_t> offsets;
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t c = 0; c < 7; ++c) {
        for (std::int64_t p = 0; p < 12; ++p) offsets.insert(layout.offset(n, c, p));
      }
    }
    EXPECT_EQ(offsets.size(), 2U * 7 * 12);
    EXPECT_LT(*offsets.rbegin(), layout.stored());
  }
}

TEST(StorageLayout, OnePositionIsPlainWhateverTheBlock) {
  EXPECT_EQ(StorageLayout::of({4, 32, 1, 1, 1}, 16), StorageLayout::of({4, 32, 1, 1, 1}, 1));
  EXPECT_NE(StorageLayout::of({4, 33, 1, 1, 1}, 16), StorageLayout::of({4, 33, 1, 1, 1}, 1));
}

TEST(StorageLayout, RunsVisitEveryValueOnce) {
  const StorageLayout layout{{2, 5, 1, 2, 3}, 4};
  std::set<std::int64_t> seen;
  for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                           std::int64_t first, std::int64_t position) {
    for (std::int64_t lane = 0; lane < count; ++lane) {
      EXPECT_EQ(offset + lane, layout.offset(sample, first + lane, position));
      seen.insert(offset + lane);
    }
  });
  EXPECT_EQ(seen.size(), 2U * 5 * 6);
}

}  // namespace storage_layout_test
}  // namespace oracle
