#include "tests/properties/random_cases.h"
#include "tests/properties/timeline_laws.h"

namespace oracle {
namespace properties_timeline_test {

TEST(TimelineLaws, EventsKeepTheirOrder) {
  on_every_fitting_case([](const Case&, const Evaluation& evaluation) {
    EXPECT_EQ(broken_order(plan_of(evaluation), evaluation.fits()->timeline), "");
  });
}

TEST(TimelineLaws, TotalsSayWhatTheEventsSay) {
  on_every_fitting_case([](const Case&, const Evaluation& evaluation) {
    EXPECT_EQ(broken_totals(plan_of(evaluation), evaluation.fits()->timeline), "");
  });
}

TEST(TimelineLaws, SeeADisturbedOrder) {
  int moved = 0, dropped = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    Timeline timeline = evaluation.fits()->timeline;
    Random random(drawn.seed);
    const auto victim = static_cast<std::size_t>(
        random.whole(0, static_cast<std::int64_t>(timeline.events.size()) - 1));
    Event& event = timeline.events[victim];
    const bool can_move = event.start > timeline.length * 1e-3 && event.item != kMessage;
    event.end -= event.start;
    event.start = Seconds{};
    if (can_move && !broken_order(plan_of(evaluation), timeline).empty()) ++moved;
    timeline.events.erase(timeline.events.begin() + static_cast<std::ptrdiff_t>(victim));
    if (!broken_order(plan_of(evaluation), timeline).empty()) ++dropped;
  });
  EXPECT_GE(moved, enough(kLeastFitting / 2));
  EXPECT_GE(dropped, enough(kLeastFitting / 2));
}

TEST(TimelineLaws, SeeAWrongTotal) {
  on_every_fitting_case([](const Case&, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    Timeline longer = evaluation.fits()->timeline;
    longer.length = longer.length * 1.01;
    EXPECT_NE(broken_totals(plan, longer), "");
    Timeline critical = evaluation.fits()->timeline;
    critical.critical_path = critical.length * 1.01;
    EXPECT_NE(broken_totals(plan, critical), "");
    Timeline exposed = evaluation.fits()->timeline;
    exposed.breakdown.exposed_gradient += exposed.length * 0.01;
    exposed.breakdown.forward -= exposed.length * 0.01;
    EXPECT_NE(broken_totals(plan, exposed), "");
  });
}

}  // namespace properties_timeline_test
}  // namespace oracle
