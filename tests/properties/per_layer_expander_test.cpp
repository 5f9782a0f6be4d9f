// What the search adds up step by step is what the plan of the whole network is priced at, on
// random networks, machines and assignments.

#include "oracle/search/per_layer/expander.h"
#include "tests/properties/per_layer_paths.h"

namespace oracle::per_layer {
namespace per_layer_expander_test {

double close_to(double value) { return 1e-9 * value + 1e-15; }

TEST(Expander, AddsUpToWhatThePlanIsPricedAt) {
  on_random_assignments(500, [](const Problem&, const Parts& parts, const Evaluation& evaluation) {
    const Fits& fits = *evaluation.fits();
    const auto times = static_cast<double>(evaluation.strategy.micro_batches);
    const Breakdown& breakdown = fits.timeline.breakdown;
    const double forward = breakdown.forward.value;
    double backward = breakdown.backward.value;
    for (const Seconds lost : fits.timeline.lost[fits.timeline.slowest_stage]) {
      backward -= lost.value;  // beside an exchange, which the plan alone does not know
    }
    EXPECT_NEAR(times * parts[Part::forward], forward, close_to(forward));
    EXPECT_NEAR(times * parts[Part::backward], backward, close_to(backward));
    double transfers = 0;
    for (const TransferTime& transfer : fits.transfers) {
      if (transfer.phase != Phase::exchange) transfers += transfer.cost.time.value;
    }
    EXPECT_NEAR(times * (parts[Part::forward_transfers] + parts[Part::backward_transfers]),
                transfers, close_to(transfers));
  });
}

TEST(Expander, UpdateAndItsLaunchAreThePlansUpdate) {
  on_random_assignments(
      500, [](const Problem& problem, const Parts& parts, const Evaluation& evaluation) {
        const double update = evaluation.fits()->timeline.breakdown.update.value;
        EXPECT_NEAR(parts[Part::update] + problem.constant(), update, 1e-6 * update);
      });
}

}  // namespace per_layer_expander_test
}  // namespace oracle::per_layer
