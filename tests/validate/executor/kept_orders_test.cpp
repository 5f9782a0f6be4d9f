#include "validate/executor/kept_orders.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/validate/in_process.h"

namespace oracle {
namespace kept_orders_test {

bool agree(const std::vector<std::string>& orders) { return orders_agree(orders); }

TEST(KeptOrders, WorkedExample) {
  EXPECT_TRUE(agree({"1.0 a\n", "1.0 a\n"}));
  EXPECT_FALSE(agree({"1.0 a\n", "1.0 b\n"}));
  EXPECT_TRUE(agree({"1.0 a\n", "2.0 b\n"}));
}

TEST(KeptOrders, TheParametersOwnIsAnOrderToo) {
  EXPECT_TRUE(agree({"1.0 \n1.1 a\n", "1.0 \n1.1 a\n"}));
  EXPECT_FALSE(agree({"1.0 \n1.1 a\n", "1.0 a\n1.1 a\n"}));
  EXPECT_FALSE(agree({"1.0 \n1.1 a\n", "1.0 \n1.1 a\n", "1.0 \n1.1 \n"}));
}

TEST(KeptOrders, EveryRankLearnsOfOneThatDiffers) {
  for (const int differs : {-1, 0, 2}) {
    run_ranks(3, [&](Communicator& communicator) {
      const std::string mine = communicator.rank() == differs ? "4.0 other\n" : "4.0 same\n";
      EXPECT_EQ(orders_agree(communicator, mine), differs < 0);
    });
  }
}

}  // namespace kept_orders_test
}  // namespace oracle
