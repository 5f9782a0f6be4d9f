#include "oracle/timeline/timeline.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "tests/plan/tiny_graphs.h"
#include "tests/timeline/hand_made.h"

namespace oracle {
namespace timeline_timeline_test {

/// One stage without forward: two layers' backward of 1 each, exchanges of 3 each.
struct TwoLayers {
  explicit TwoLayers(bool overlap) {
    HandMade made;
    made.backward_begins();
    const auto second = made.work(Phase::backward, 1);
    const auto first = made.work(Phase::backward, 1);
    made.transfer(Phase::exchange, 3, {overlap ? second : first});
    made.transfer(Phase::exchange, 3, {first});
    plan.strategy.micro_batches = 1;
    plan.stages = {made.stage};
    prices.stages = {made.prices};
  }
  Plan plan;
  Prices prices;
};

TEST(Timeline, OverlapHidesTheFirstExchange) {
  for (const auto& [overlap, length] : {std::pair{false, 8.0}, {true, 7.0}}) {
    const TwoLayers made(overlap);
    const Timeline timeline = schedule(made.plan, made.prices, Profile{}, Detail::events);
    EXPECT_DOUBLE_EQ(timeline.length.value, length);
    EXPECT_DOUBLE_EQ(timeline.breakdown.backward.value, 2);
    EXPECT_DOUBLE_EQ(timeline.breakdown.exposed_gradient.value, length - 2);
    EXPECT_DOUBLE_EQ(timeline.breakdown.bubble.value, 0);
    EXPECT_DOUBLE_EQ(timeline.communication.value, 6);
  }
}

TEST(Timeline, NothingIsShorterThanItsBusiestStream) {
  // The longest chain is 2 + 3; the exchange stream alone is busy for 6.
  const TwoLayers made(true);
  EXPECT_DOUBLE_EQ(schedule(made.plan, made.prices, Profile{}, Detail::totals).critical_path.value,
                   6);
}

double seconds_of(const Cost& cost) { return cost.time.value; }

/// A data-parallel chain with random prices.
struct Chain {
  Chain(std::uint32_t seed, const std::string& options)
      : graph(dense_chain({8, 8, 8, 8, 8, 8, 8})),
        plan(plan_of(graph, "data:4; bucket=0 B" + options, 4)) {
    std::mt19937 random(seed);
    prices.stages.resize(1);
    for (std::size_t i = 0; i < plan.stages[0].items.size(); ++i) {
      prices.stages[0].items.push_back(
          {Seconds{1 + static_cast<double>(random() % 20)}, Source::assumed, 0});
    }
  }
  Graph graph;
  Plan plan;
  Prices prices;
};

TEST(Timeline, OneBucketPerLayerFollowsTheWaitFreeRecurrence) {
  // Layer l's exchange starts once the exchange of layer l+1 and the backward of l are over:
  //   c(l) = max(c(l+1) + t_c(l+1), b(l))            Shi et al., INFOCOM 2019 (MG-WFBP)
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Chain chain(seed, "");
    const auto& costs = chain.prices.stages[0].items;
    double forward = 0, backward = 0, update = 0;
    std::vector<double> gradient_ready, exchange;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Item& item = chain.plan.stages[0].items[i];
      if (item.phase == Phase::forward) forward += seconds_of(costs[i]);
      if (item.phase == Phase::backward) backward += seconds_of(costs[i]);
      if (item.phase == Phase::exchange) exchange.push_back(seconds_of(costs[i]));
      if (item.phase == Phase::update) update += seconds_of(costs[i]);
      const auto* work = std::get_if<Work>(&item.what);
      if (work != nullptr && work->pass == Pass::backward_weights)
        gradient_ready.push_back(backward);
    }
    ASSERT_EQ(gradient_ready.size(), 6U);
    ASSERT_EQ(exchange.size(), 6U);
    double end = 0;
    for (std::size_t l = 0; l < exchange.size(); ++l) {
      end = std::max(end, gradient_ready[l]) + exchange[l];
    }
    const double exposed = std::max(0.0, end - backward);
    const Timeline timeline = schedule(chain.plan, chain.prices, Profile{}, Detail::totals);
    EXPECT_DOUBLE_EQ(timeline.breakdown.exposed_gradient.value, exposed);
    EXPECT_DOUBLE_EQ(timeline.length.value, forward + backward + exposed + update);
  }
}

TEST(Timeline, WithoutOverlapEveryExchangeIsExposed) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Chain chain(seed, "; overlap=off");
    double all = 0;
    for (const Cost& cost : chain.prices.stages[0].items) all += seconds_of(cost);
    EXPECT_DOUBLE_EQ(schedule(chain.plan, chain.prices, Profile{}, Detail::totals).length.value,
                     all);
  }
}

TEST(Timeline, OverlapSlowdownLengthensWhatOverlaps) {
  const TwoLayers made(true);
  Profile profile;
  profile.overlap = Overlap::alike(0.5);
  const Timeline timeline = schedule(made.plan, made.prices, profile, Detail::events);
  EXPECT_DOUBLE_EQ(timeline.length.value, 7.5);
  // The second of the two layers runs beside the first one's exchange.
  EXPECT_DOUBLE_EQ(timeline.breakdown.backward.value, 2.5);
  Seconds lost;
  for (const Seconds of_item : timeline.lost[0]) lost += of_item;
  EXPECT_DOUBLE_EQ(lost.value, 0.5);
  const Item& last = made.plan.stages[0].items[made.plan.stages[0].backward_begin + 1];
  for (const Event& event : timeline.events) {
    if (&made.plan.stages[0].items[event.item] != &last) continue;
    EXPECT_DOUBLE_EQ((event.end - event.start).value, 1.5);
  }
}

/// A plan of `stages` stages with random prices.
struct Staged {
  Staged(std::uint32_t seed, const std::string& strategy)
      : graph(dense_chain({8, 8, 8, 8, 8, 8, 8})), plan(plan_of(graph, strategy, 48)) {
    std::mt19937 random(seed);
    const auto draw = [&] { return Cost{Seconds{1 + static_cast<double>(random() % 9)}}; };
    for (const Stage& stage : plan.stages) {
      StagePrices& own = prices.stages.emplace_back();
      for (std::size_t i = 0; i < stage.items.size(); ++i) own.items.push_back(draw());
      for (std::size_t i = 0; i < stage.to_next.size(); ++i) own.to_next.push_back(draw());
      for (std::size_t i = 0; i < stage.from_next.size(); ++i) own.from_next.push_back(draw());
    }
  }
  Graph graph;
  Plan plan;
  Prices prices;
};

const std::vector<std::string> kStrategies = {"serial",
                                              "data:4",
                                              "data:4; overlap=off",
                                              "filter:4",
                                              "tensor:2; micro_batches=3",
                                              "data:2; micro_batches=4",
                                              "data:2,pipeline:3; micro_batches=6",
                                              "pipeline:4; micro_batches=6; schedule=gpipe",
                                              "filter:2,pipeline:2; micro_batches=4"};

TEST(Timeline, PartsOfTheBreakdownSumToTheLength) {
  for (const std::string& strategy : kStrategies) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      const Staged made(seed, strategy);
      const Timeline timeline = schedule(made.plan, made.prices, Profile{}, Detail::totals);
      const Breakdown& parts = timeline.breakdown;
      EXPECT_NEAR((parts.forward + parts.backward + parts.update + parts.exposed_activation +
                   parts.exposed_gradient + parts.messages + parts.bubble)
                      .value,
                  timeline.length.value, 1e-9)
          << strategy;
      EXPECT_LE(timeline.critical_path, timeline.length) << strategy;
    }
  }
}

TEST(Timeline, EventsAreTheItemsOnceForEachMicroBatch) {
  for (const std::string& strategy : kStrategies) {
    const Staged made(3, strategy);
    const Timeline timeline = schedule(made.plan, made.prices, Profile{}, Detail::events);
    const auto micro_batches = static_cast<std::size_t>(made.plan.strategy.micro_batches);
    std::size_t expected = 0;
    for (const Stage& stage : made.plan.stages) {
      for (const Item& item : stage.items) {
        const bool once = item.phase == Phase::exchange || item.phase == Phase::update;
        expected += once ? 1 : micro_batches;
      }
      expected += micro_batches * (stage.to_next.empty() ? 0 : 2);
    }
    EXPECT_EQ(timeline.events.size(), expected) << strategy;
    Seconds last, previous;
    for (const Event& event : timeline.events) {
      EXPECT_GE(event.start, previous);
      EXPECT_LE(event.start, event.end);
      previous = event.start;
      last = std::max(last, event.end);
    }
    EXPECT_EQ(last, timeline.length) << strategy;
  }
}

TEST(Timeline, AStreamRunsOneThingAtATime) {
  for (const std::string& strategy : kStrategies) {
    const Staged made(4, strategy);
    const Timeline timeline = schedule(made.plan, made.prices, Profile{}, Detail::events);
    std::map<std::pair<std::uint32_t, Stream>, Seconds> free;
    for (const Event& event : timeline.events) {
      Seconds& until = free[{event.stage, event.stream}];
      EXPECT_GE(event.start, until) << strategy << ' ' << name_of(event.stream);
      until = event.end;
    }
  }
}

TEST(Timeline, WithoutDetailHasTheSameTotals) {
  for (const std::string& strategy : kStrategies) {
    const Staged made(5, strategy);
    const Timeline totals = schedule(made.plan, made.prices, Profile{}, Detail::totals);
    const Timeline events = schedule(made.plan, made.prices, Profile{}, Detail::events);
    EXPECT_EQ(totals.length, events.length);
    EXPECT_EQ(totals.critical_path, events.critical_path);
    EXPECT_TRUE(totals.events.empty());
    EXPECT_TRUE(totals.exposed.empty());
  }
}

TEST(Timeline, AccumulatedMicroBatchesExchangeOnce) {
  const Staged made(6, "data:2; micro_batches=4; overlap=off");
  double forward = 0, backward = 0, once = 0;
  for (std::size_t i = 0; i < made.plan.stages[0].items.size(); ++i) {
    const double seconds = made.prices.stages[0].items[i].time.value;
    const Phase phase = made.plan.stages[0].items[i].phase;
    (phase == Phase::forward ? forward : phase == Phase::backward ? backward : once) += seconds;
  }
  EXPECT_DOUBLE_EQ(schedule(made.plan, made.prices, Profile{}, Detail::totals).length.value,
                   4 * (forward + backward) + once);
}

}  // namespace timeline_timeline_test
}  // namespace oracle
