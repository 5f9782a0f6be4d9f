// One device: nothing to say to anyone, and the step is the sum of its work.

#include <numeric>

#include "oracle/cost/price.h"
#include "tests/properties/differences.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace one_device_test {

Case on_one_device(Case drawn) {
  drawn.strategy.mesh.clear();
  drawn.strategy.rules.clear();
  drawn.strategy.chunks = 1;
  drawn.strategy.offload = {};
  return drawn;
}

std::size_t transfers_in(const Plan& plan) {
  std::size_t count = 0;
  for (const Stage& stage : plan.stages) {
    count += stage.to_next.size() + stage.from_next.size();
    for (const Item& item : stage.items) count += std::holds_alternative<Transfer>(item.what);
  }
  return count;
}

/// All work, one kernel after the other.
double work_of(const Case& drawn, const Plan& plan) {
  const Prices prices = price(drawn.graph, plan, drawn.cluster, drawn.profile);
  double sum = 0;
  for (std::size_t i = 0; i < plan.stages[0].items.size(); ++i) {
    const bool once = plan.stages[0].items[i].phase == Phase::update;
    const double times = once ? 1.0 : static_cast<double>(plan.strategy.micro_batches);
    sum += times * prices.stages[0].items[i].time.value;
  }
  return sum;
}

TEST(OneDevice, CommunicatesNothingAndTakesTheTimeOfItsWork) {
  int fitting = 0, with_transfers = 0;
  on_every_case([&](const Case& drawn) {
    const Case alone = on_one_device(drawn);
    const Evaluation evaluation = evaluate(alone, Detail::events);
    if (evaluation.fits() == nullptr) return;
    ++fitting;
    const Fits& fits = *evaluation.fits();
    const Breakdown& parts = fits.timeline.breakdown;
    EXPECT_EQ(transfers_in(plan_of(evaluation)), 0U);
    EXPECT_TRUE(fits.transfers.empty());
    EXPECT_EQ(fits.timeline.communication, Seconds{});
    EXPECT_EQ(parts.exposed_activation + parts.exposed_gradient, Seconds{});
    EXPECT_TRUE(is_close(fits.step.time.value, work_of(alone, plan_of(evaluation)), 1e-9));
    EXPECT_TRUE(is_close(fits.step.time.value,
                         (parts.forward + parts.backward + parts.update).value, 1e-9));
    const Evaluation several = evaluate(drawn, Detail::events);
    if (several.plan) with_transfers += transfers_in(*several.plan) > 0 ? 1 : 0;
  });
  EXPECT_GE(fitting, enough(1000));
  EXPECT_GE(with_transfers, enough(kLeastFitting / 2));
}

/// A plan with one item twice takes longer than the step: the sum above can fail.
TEST(OneDevice, AnItemMoreIsSeen) {
  on_every_case([](const Case& drawn) {
    const Case alone = on_one_device(drawn);
    const Evaluation evaluation = evaluate(alone, Detail::events);
    if (evaluation.fits() == nullptr) return;
    Plan plan = plan_of(evaluation);
    plan.stages[0].items.push_back(plan.stages[0].items.front());
    EXPECT_GT(work_of(alone, plan), evaluation.fits()->step.time.value);
  });
}

}  // namespace one_device_test
}  // namespace oracle
