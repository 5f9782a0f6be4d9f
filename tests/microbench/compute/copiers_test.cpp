#include "microbench/compute/copiers.h"

#include <gtest/gtest.h>

namespace oracle {
namespace copiers_test {

TEST(Copiers, EachCopyTakesTimeAndAsManyAreMadeAsAskedFor) {
  for (const CopyPath path : {CopyPath::direct, CopyPath::through_message}) {
    Copiers copiers(2, 1 << 16, path);
    for (const int threads : {1, 2}) {
      const std::vector<CopyTimes> all = copiers.copy(threads, 5);
      ASSERT_EQ(all.size(), 5U);
      for (const CopyTimes& one : all) {
        EXPECT_GT(one.pack, 0);
        EXPECT_GT(one.unpack, 0);
        EXPECT_TRUE(path != CopyPath::direct || one.pack == one.unpack) << "one copy";
      }
    }
  }
}

TEST(Copiers, NoMoreCopyThanThereAre) { EXPECT_EQ(Copiers(1, 4096).copy(3, 2).size(), 2U); }

TEST(Copiers, NobodyTakesNoTime) {
  const std::vector<CopyTimes> all = Copiers(0, 4096).copy(2, 3);
  ASSERT_EQ(all.size(), 3U);
  for (const CopyTimes& one : all) EXPECT_EQ(one.mean(), 0);
}

}  // namespace copiers_test
}  // namespace oracle
