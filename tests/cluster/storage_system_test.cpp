#include "oracle/cluster/storage_system.h"

#include <gtest/gtest.h>

namespace oracle {
namespace storage_system_test {

StorageSystem small() {
  StorageSystem storage;
  storage.read = {{1, Bandwidth{66e6}}, {2, Bandwidth{86e6}}, {4, Bandwidth{146e6}}};
  storage.write = {{1, Bandwidth{250e6}}};
  storage.open = Seconds{0.004};
  storage.sources = {{"read", Source::measured, "it"},
                     {"write", Source::datasheet, "it"},
                     {"open", Source::fitted, "it"}};
  return storage;
}

TEST(StorageSystem, TheCurveIsLinearBetweenItsPoints) {
  const auto& curve = small().read;
  EXPECT_DOUBLE_EQ(bandwidth_of(curve, 1.5).value, 76e6);
  EXPECT_DOUBLE_EQ(bandwidth_of(curve, 0.5).value, 66e6);
  EXPECT_DOUBLE_EQ(bandwidth_of(curve, 2).value, 86e6);
  EXPECT_DOUBLE_EQ(bandwidth_of(curve, 3).value, 116e6);
  EXPECT_DOUBLE_EQ(bandwidth_of(curve, 1e9).value, 146e6);
}

TEST(StorageSystem, AFileIsOpenedAndWritten) {
  EXPECT_DOUBLE_EQ(write_time(small(), Bytes{1e9}).value, 4.004);
}

TEST(StorageSystem, TheWeakestEvidenceCounts) {
  EXPECT_EQ(source_of(small(), "read"), Source::fitted);
  EXPECT_EQ(source_of(small(), "write"), Source::datasheet);
}

}  // namespace storage_system_test
}  // namespace oracle
