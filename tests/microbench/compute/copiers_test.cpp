#include "microbench/compute/copiers.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

TEST(Copiers, EachCopyTakesTimeAndAsManyAreMadeAsAskedFor) {
  for (const CopyPath path : {CopyPath::direct, CopyPath::through_message}) {
    Copiers copiers(2, 1 << 16, path);
    for (const int threads : {1, 2}) {
      const std::vector<double> seconds = copiers.copy(threads, 5);
      ASSERT_EQ(seconds.size(), 5U);
      for (const double one : seconds) EXPECT_GT(one, 0);
    }
  }
}

TEST(Copiers, NoMoreCopyThanThereAre) { EXPECT_EQ(Copiers(1, 4096).copy(3, 2).size(), 2U); }

TEST(Copiers, NobodyTakesNoTime) {
  EXPECT_EQ(Copiers(0, 4096).copy(2, 3), (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace oracle
