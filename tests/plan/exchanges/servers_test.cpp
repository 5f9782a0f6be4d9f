#include "oracle/plan/exchanges/servers.h"

#include <gtest/gtest.h>
#include <map>

#include "oracle/base/error.h"
#include "oracle/cost/price.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/timeline/timeline.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace servers_test {

const Graph kLayer = dense_chain({50, 20});

Plan plan_with(std::int64_t ranks, const std::string& exchange) {
  return plan_of(kLayer, "data:" + std::to_string(ranks) + "; exchange=" + exchange, 8);
}

TEST(Servers, SumUpdateAndGiveBack) {
  const Plan plan = plan_with(4, "servers:2");
  EXPECT_EQ(transfers(kLayer, plan, Phase::exchange),
            (std::vector<std::string>{"push{0} 4000 B of fc1: weight gradient",
                                      "pull{0} 4000 B of fc1: weight"}));
  const Stage& stage = plan.stages[0];
  const std::uint32_t push = stage.backward_end.items, update = stage.update_item();
  const auto& reduce = std::get<Compression>(stage.items[push + 1].what);
  EXPECT_EQ(reduce.step, CompressionStep::reduce);
  EXPECT_EQ(reduce.touched, Bytes{3.0 * 3 * 2000});
  EXPECT_EQ(update, push + 2);
  EXPECT_EQ(stage.needs_of(stage.items[update + 1]).front(), update);
}

TEST(Servers, SendWhatTheWorkedExampleSays) {
  const Transfer sum{Collective::all_reduce, 1, Bytes{4000}, Payload::weight_gradient, 1};
  const ServedBucket bucket(2, sum, 4, 4);
  EXPECT_EQ(sent_bytes(std::get<Transfer>(bucket.steps()[0]), 4), Bytes{4000});
  EXPECT_EQ(sent_bytes(bucket.pull(), 4), Bytes{6000});
  const ServedBucket everywhere(4, sum, 4, 4);
  EXPECT_EQ(sent_bytes(std::get<Transfer>(everywhere.steps()[0]), 4), Bytes{3000});
  EXPECT_EQ(sent_bytes(everywhere.pull(), 4), Bytes{3000});
  EXPECT_EQ(ServedBucket(9, sum, 4, 4).pull().servers, 4) << "one on each rank at most";
}

TEST(Servers, LieEvenlyAmongTheRanks) {
  EXPECT_EQ(place_of_server(0, 2, 4), 0);
  EXPECT_EQ(place_of_server(1, 2, 4), 2);
  EXPECT_EQ(place_of_server(2, 3, 8), 5);
}

/// Of push and pull of 1000 values among 8 ranks.
double transfer_time(std::int64_t servers) {
  const Plan plan = plan_with(8, "servers:" + std::to_string(servers));
  const Prices prices = price(kLayer, plan, flat_cluster(), {});
  double time = 0;
  for (std::size_t i = 0; i < plan.stages[0].items.size(); ++i) {
    if (plan.stages[0].items[i].phase != Phase::exchange) continue;
    if (!std::holds_alternative<Transfer>(plan.stages[0].items[i].what)) continue;
    time += prices.stages[0].items[i].time.value;
  }
  return time;
}

/// 2α + 2·n·max(1, P/S)/B is least from S = P on: the more servers the better up to one on each.
TEST(Servers, AreBestAsManyAsRanks) {
  std::map<std::int64_t, double> times;
  for (const std::int64_t servers : {1, 2, 4, 8, 16}) times[servers] = transfer_time(servers);
  EXPECT_GT(times[1], times[2]);
  EXPECT_GT(times[2], times[4]);
  EXPECT_GT(times[4], times[8]);
  EXPECT_DOUBLE_EQ(times[8], times[16]);
  const double latencies = transfer_time(1) - 8 * (transfer_time(1) - transfer_time(8)) / 7;
  EXPECT_NEAR(times[4] - latencies, 2 * (times[8] - latencies), 1e-12) << "in proportion to 1/S";
}

TEST(Servers, KeepTheStateOfTheirPart) {
  const auto state = [](const char* exchange) {
    const std::string strategy = std::string("data:4; exchange=") + exchange;
    return footprint(kLayer, plan_of(kLayer, strategy, training_of(8, "fp32", "momentum")),
                     flat_cluster())
        .of(MemoryUse::optimizer)
        .value;
  };
  EXPECT_GT(state("auto"), 0);
  EXPECT_DOUBLE_EQ(state("servers:2"), state("auto") / 2);
  EXPECT_DOUBLE_EQ(state("servers:4"), state("auto") / 4);
}

TEST(Servers, ThatDoNotWaitUpdateWithEachGradient) {
  const Plan plan = plan_with(4, "servers:2; staleness=any");
  const Stage& stage = plan.stages[0];
  EXPECT_EQ(stage.items[stage.update_item()].times, 4);
  const auto& push = std::get<Transfer>(stage.items[stage.backward_end.items].what);
  const auto& copies = std::get<Compression>(stage.items[stage.backward_end.items + 1].what);
  EXPECT_TRUE(push.apart);
  EXPECT_EQ(copies.touched, Bytes{2.0 * 3 * 2000});
  EXPECT_EQ(copies.kept, Bytes{7.0 * 2000});
}

/// A step of 8 ranks that do not wait for each other: as it is, and if servers' links were no
/// limit.
struct StaleStep {
  double length = 0, alone = 0;
};

constexpr double kValues = 4200 * 2000;
const Graph kLarge = dense_chain({4200, 2000});

StaleStep stale_step(std::int64_t servers, std::int64_t batch, const Cluster& cluster) {
  const std::string exchange = "servers:" + std::to_string(servers) + "; staleness=any";
  const Plan plan = plan_of(kLarge, "data:8; exchange=" + exchange, batch);
  Prices prices = price(kLarge, plan, cluster, {});
  const auto length = [&] { return schedule(plan, prices, {}, Detail::totals).length.value; };
  StaleStep step{length(), 0};
  prices.stages[0].served = {};
  step.alone = length();
  return step;
}

/// So many servers let ranks compute without waiting for a link that is always busy: Zou et al.,
/// "Distributed Training Large-Scale Deep Architectures", ADMA 2017, lemma 2. They count push and
/// pull over one link, which here go both ways at once, and no server that is a rank, too: of
/// (P−1)·n/S that others ask of its link and (S−1)·n/S of its own. Ranks meet there before, too.
TEST(Servers, AreEnoughWhereTheLemmaSays) {
  Cluster cluster = flat_cluster();
  cluster.levels[0].uplink.latency = Seconds{};
  const double values = kValues * 4 / cluster.levels[0].uplink.bandwidth.value;
  int limited = 0, free = 0;
  for (const std::int64_t batch : {8, 800, 80000}) {
    for (const std::int64_t servers : {1, 2, 3, 4, 5, 6, 8}) {
      const auto [length, alone] = stale_step(servers, batch, cluster);
      const auto count = static_cast<double>(servers);
      const double link = values * (7 + count - 1) / count;
      const double own = 2 * values * (servers == 8 ? 7.0 / 8 : 1);
      const double among_others = alone + 7.0 / 8 * link * std::min(1.0, own / alone);
      EXPECT_NEAR(length, std::max(link, among_others), 1e-3 * length) << servers;
      (link <= alone ? free : limited) += 1;
    }
  }
  EXPECT_GT(limited, 1);
  EXPECT_GT(free, 1);
}

/// Ranks that seldom ask their servers do not meet there.
TEST(Servers, ThatAreSeldomAskedKeepNoOneWaiting) {
  const auto [length, alone] = stale_step(8, 8'000'000, flat_cluster());
  EXPECT_NEAR(length / alone, 1, 0.01);
  const auto [often, by_itself] = stale_step(8, 8, flat_cluster());
  EXPECT_GT(often / by_itself, 1.5);
}

TEST(Servers, ThatDoNotWaitAreOfDataParallelRanks) {
  for (const char* strategy : {"data:2; staleness=4", "data:2; exchange=int8; staleness=4",
                               "data:2,filter:2; exchange=servers:2; staleness=4"}) {
    EXPECT_EQ(refusal_of(kLayer, strategy, 8).constraint, Constraint::exchange) << strategy;
  }
  EXPECT_EQ(to_text(refusal_of(kLayer, "data:2; staleness=4", 8)),
            "staleness= is of servers, and exchange=auto has none; write exchange=servers:4, or "
            "leave out staleness=");
  EXPECT_EQ(to_text(parse_strategy("data:2; staleness=any; exchange=servers:2")),
            "data:2; exchange=servers:2; staleness=any");
}

TEST(Servers, AreCounted) {
  EXPECT_EQ(chosen_exchange("ps:2").servers(), 2);
  EXPECT_EQ(chosen_exchange("ps:2").row, chosen_exchange("servers:2").row);
  EXPECT_EQ(chosen_exchange("topk:1%").servers(), 0);
  EXPECT_THROW(chosen_exchange("servers"), InputError);
  EXPECT_THROW(chosen_exchange("servers:0"), InputError);
  EXPECT_EQ(refusal_of(kLayer, "data:2; exchange=servers:2; zero=1", 8).constraint,
            Constraint::exchange);
}

}  // namespace servers_test
}  // namespace oracle
