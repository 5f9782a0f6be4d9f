// Would a comparison to printed digits notice a wrong figure?

#include "tests/conformance/ledger.h"

#include <gtest/gtest.h>

namespace oracle::paradl {
namespace ledger_test {

TEST(ParadlLedger, ComparesSevenDigits) {
  EXPECT_TRUE(alike(0.0132953888, 0.01329539));
  EXPECT_FALSE(alike(0.0132953888, 0.01329538));
  EXPECT_TRUE(alike(533.07684, 533.0768));
  EXPECT_FALSE(alike(533.07686, 533.0768));
  EXPECT_TRUE(alike(0, 0));
  EXPECT_FALSE(alike(1e-12, 0));
}

TEST(ParadlLedger, CountsWhatWasPrintedOnly) {
  Case printed;
  printed.id = "one";
  printed.figures = {{"iteration_time", 1.5}, {"iteration_time_compute", 1}, {"memory_per_gpu", 9}};
  Ledger ledger;
  ledger.compare_step(printed, Seconds{1}, Seconds{0.5});
  EXPECT_EQ(ledger.compared(), 2);
  ledger.leave_rest(printed, "nothing is left");
  EXPECT_EQ(ledger.left_out("nothing is left"), 0);
}

}  // namespace ledger_test
}  // namespace oracle::paradl
