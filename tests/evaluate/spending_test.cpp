#include <gtest/gtest.h>

#include "oracle/search/search.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace spending_test {

TEST(Spending, DevicesArePaidByTheHour) {
  Cluster cluster = flat_cluster();
  cluster.device.price_per_hour = 3.06;
  const Spending spending = spending_of(cluster, 32, Seconds{0.4}, 512);
  EXPECT_NEAR(spending.per_step, 0.01088, 1e-12);
  EXPECT_NEAR(spending.per_million_samples, 21.25, 1e-9);
}

TEST(Spending, RanksThatShareADevicePayOnce) {
  Cluster cluster = flat_cluster();
  cluster.device.price_per_hour = 7.2;
  cluster.ranks_per_device = 4;
  EXPECT_NEAR(spending_of(cluster, 8, Seconds{1}, 1).per_step, 0.004, 1e-15);
}

}  // namespace spending_test
}  // namespace oracle
