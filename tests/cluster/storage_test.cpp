#include "oracle/cluster/storage.h"

#include <gtest/gtest.h>

namespace oracle {
namespace cluster_storage_test {

TEST(Storage, WorkedNumber) {
  const StorageRate rate{.operation = StorageOperation::checkpoint,
                         .latency = Seconds{0.01},
                         .rate = Bandwidth{200e6}};
  EXPECT_NEAR(time_of(rate, Bytes{100e6}).value, 0.51, 1e-12);
}

TEST(Storage, NamesComeBack) {
  for (std::size_t i = 0; i < kStorageOperationCount; ++i) {
    const auto operation = static_cast<StorageOperation>(i);
    EXPECT_EQ(storage_operation_named(name_of(operation)), operation);
  }
  EXPECT_FALSE(storage_operation_named("write"));
}

}  // namespace cluster_storage_test
}  // namespace oracle
