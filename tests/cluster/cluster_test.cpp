#include "oracle/cluster/cluster.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace cluster_test {

TEST(Cluster, CapacitiesMultiplyInsideOut) {
  Cluster cluster;
  for (const std::int64_t units : {4, 17, 2, 32}) {
    cluster.levels.emplace_back();
    cluster.levels.back().units = units;
  }
  EXPECT_EQ(cluster.capacity(0), 4);
  EXPECT_EQ(cluster.capacity(1), 68);
  EXPECT_EQ(cluster.capacity(2), 136);
  EXPECT_EQ(cluster.ranks(), 4352);
  cluster.ranks_per_device = 2;
  EXPECT_EQ(cluster.capacity(0), 8);
  EXPECT_EQ(cluster.ranks(), 8704);
  EXPECT_THROW(cluster.capacity(4), Defect);
}

TEST(Device, NamesItsNumberFormats) {
  EXPECT_EQ(name_of(DataType::fp32), "fp32");
  EXPECT_EQ(name_of(DataType::tf32), "tf32");
  EXPECT_EQ(name_of(DataType::fp16), "fp16");
  EXPECT_EQ(name_of(DataType::bf16), "bf16");
}

}  // namespace cluster_test
}  // namespace oracle
