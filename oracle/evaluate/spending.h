#pragma once
// What does a step cost in money?
//
//   dollars per step = price per device-hour · ranks / ranks per device · step / 3600 s
//
// Devices are paid for while they wait, so for one number of ranks the cheapest step is the
// shortest one. Worked: 32 devices at 3.06 USD/h, a step of 0.4 s of 512 samples: 0.01088 USD a
// step, 21.25 USD a million samples                           tests/evaluate/spending_test.cpp

#include "oracle/cluster/cluster.h"

namespace oracle {

/// In dollars; 0 where the device's price is unknown.
struct Spending {
  double per_step = 0;
  double per_million_samples = 0;
};

Spending spending_of(const Cluster& cluster, std::int64_t ranks, Seconds step, std::int64_t batch);

}  // namespace oracle
