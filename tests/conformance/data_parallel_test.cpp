// Data parallelism: one all-reduce of all weight gradients, 2(p−1)(α + 4·Σ|w|·β/p).
//
// Every figure that ParaDL printed is met as it stands. The compute it printed is that of a rank's
// share of the data set, rounded up, over the iterations of an epoch, the last of which may be
// partly filled.

#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "tests/conformance/ledger.h"
#include "tests/conformance/paradl_links.h"
#include "tests/conformance/paradl_plan.h"

namespace oracle::paradl {
namespace data_parallel_test {

bool every(const Operation&) { return true; }

double epoch_share(const Network& network, std::int64_t ranks) {
  return static_cast<double>((network.samples() + ranks - 1) / ranks);
}

TEST(ParadlDataParallel, MeetsEveryPrintedTime) {
  const std::vector<Network> all = networks();
  Ledger ledger;
  for (const Case& printed : cases_of("data")) {
    SCOPED_TRACE(printed.id);
    const Network& network = network_of(all, printed.model, printed.input);
    const Plan plan = plan_of(network, printed, "whole", every);
    const auto sums = transfers_of(plan, Collective::all_reduce, Payload::weight_gradient);
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_EQ(sums[0].bytes, Bytes{4.0 * static_cast<double>(network.weights())});
    EXPECT_EQ(plan.pieces[0].samples, printed.batch / printed.gpus);

    const Group ring = ring_of(printed.gpus, printed.gpus, script_of(printed));
    const double samples =
        epoch_share(network, printed.gpus) / static_cast<double>(printed.iterations);
    ledger.compare_step(printed, Seconds{samples * network.seconds_per_sample},
                        ring_all_reduce(sums[0].bytes, ring));
  }
  ledger.close("data");
  EXPECT_EQ(ledger.compared(), 4 * 99);
}

// One rank has nothing to send: ParaDL's "single".
TEST(ParadlSerial, SendsNothing) {
  const std::vector<Network> all = networks();
  Ledger ledger;
  for (const Case& printed : cases_of("single")) {
    const Network& network = network_of(all, printed.model, printed.input);
    const Plan plan = plan_of(network, printed, "whole", every);
    EXPECT_TRUE(transfers_of(plan, Collective::all_reduce, Payload::weight_gradient).empty());
    const double samples = epoch_share(network, 1) / static_cast<double>(printed.iterations);
    ledger.compare_step(printed, Seconds{samples * network.seconds_per_sample}, Seconds{});
  }
  ledger.close("single");
  EXPECT_EQ(ledger.compared(), 4 * 8);
}

TEST(ParadlLinks, LatencyOfEightGpus) {
  EXPECT_NEAR(ring_of(8, 8, Script{}).top().latency.value, 40.31e-6, 1e-12);
  EXPECT_NEAR(ring_of(128, 128, Script{}).top().latency.value, 40.49e-6, 1e-12);
  EXPECT_NEAR(ring_of(256, 256, Script{}).top().latency.value, 40.98e-6, 1e-12);
}

}  // namespace data_parallel_test
}  // namespace oracle::paradl
