#include "microbench/compute/sharing_probe.h"

#include <gtest/gtest.h>

namespace oracle {
namespace sharing_probe_test {

TEST(SharingProbe, WorkedNumbers) {
  EXPECT_DOUBLE_EQ(sharing_of(0.65e-3, 1.17e-3, 2), 0.8);
  EXPECT_DOUBLE_EQ(sharing_of(1e-3, 2e-3, 5), 0.25) << "of four others";
  EXPECT_EQ(sharing_of(1e-3, 0.97e-3, 2), 0) << "chance";
  EXPECT_EQ(sharing_of(1e-3, 2.3e-3, 2), 1);
}

TEST(SharingProbe, OneCoreSharesWithNobody) { EXPECT_EQ(SharingProbe(1).sharing(), 0); }

TEST(SharingProbe, IsAPartOfTheWhole) {
  SharingProbe probe(2);
  for (int i = 0; i < 3; ++i) {
    const double sharing = probe.sharing();
    EXPECT_GE(sharing, 0);
    EXPECT_LE(sharing, 1);
  }
}

}  // namespace sharing_probe_test
}  // namespace oracle
