#include "oracle/memory/staging.h"

#include <gtest/gtest.h>

namespace oracle {
namespace memory_staging_test {

constexpr double kMega = 1e6;

double extra(Collective collective, double bytes, double from, double to, bool dies) {
  const Transfer transfer{collective, 1, Bytes{bytes * kMega}, Payload::activation, 1};
  return extra_beside(transfer, 4, {Bytes{from * kMega}, Bytes{to * kMega}, dies}).value / kMega;
}

TEST(Staging, WorkedExample) { EXPECT_EQ(extra(Collective::all_gather, 100, 25, 100, false), 200); }

TEST(Staging, WhatIsNotNeededAgainMakesRoom) {
  EXPECT_EQ(extra(Collective::all_gather, 100, 25, 100, true), 175);
  EXPECT_EQ(extra(Collective::all_reduce, 100, 100, 100, true), 100);
  EXPECT_EQ(extra(Collective::all_reduce, 100, 100, 100, false), 200);
  EXPECT_EQ(extra(Collective::reduce_scatter, 100, 100, 25, true), 100);
  EXPECT_EQ(extra(Collective::all_to_all, 100, 100, 100, true), 100);
}

TEST(Staging, MessagesAreThereAtOnce) {
  EXPECT_EQ(extra(Collective::halo_exchange, 2, 100, 102, true), 2 + 2 + 102);
  EXPECT_EQ(extra(Collective::send_receive, 10, 100, 100, true), 10 + 10 + 100);
}

}  // namespace memory_staging_test
}  // namespace oracle
