#include "oracle/evaluate/balance.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace balance_test {

const Profile kNothingMeasured;

Evaluation evaluated(const Graph& graph, const std::string& strategy,
                     const Cluster& cluster = flat_cluster()) {
  return evaluate(graph, cluster, kNothingMeasured, parse_strategy(strategy), training_of(256),
                  Detail::events);
}

std::vector<LayerId> firsts_of(const Evaluation& evaluation) {
  std::vector<LayerId> firsts;
  for (const Stage& stage : evaluation.plan->stages) firsts.push_back(stage.first);
  return firsts;
}

const Graph kUneven = dense_chain({512, 3000, 700, 2500, 2500, 300, 1800, 1000});

TEST(Balance, IsNearTheBestOfAllStagesThatCanBeNamed) {
  for (const std::string options : {"; micro_batches=4", "; micro_batches=16"}) {
    double best = std::numeric_limits<double>::infinity();
    for (int first = 2; first <= 6; ++first) {
      for (int second = first + 1; second <= 7; ++second) {
        const Evaluation own =
            evaluated(kUneven, "pipeline:3" + options + "; stages=fc" + std::to_string(first) +
                                   ",fc" + std::to_string(second));
        best = std::min(best, own.fits()->step.time.value);
      }
    }
    const Evaluation balanced = evaluated(kUneven, "pipeline:3" + options);
    EXPECT_LE(balanced.fits()->step.time.value, best * 1.001) << options;
  }
}

TEST(Balance, SaysWhichStagesItChose) {
  const Evaluation balanced = evaluated(kUneven, "pipeline:3; micro_batches=8");
  ASSERT_EQ(balanced.strategy.stages.size(), 2U);
  // Who names them gets the same plan.
  const Evaluation named = evaluated(kUneven, to_text(balanced.strategy));
  EXPECT_EQ(firsts_of(named), firsts_of(balanced));
  EXPECT_EQ(named.strategy, balanced.strategy);
  EXPECT_EQ(named.fits()->step.time, balanced.fits()->step.time);
}

TEST(Balance, AsksTheMachineThatIsPriced) {
  // Where links are slow, stages begin where little crosses: at the 300 features of fc5.
  Cluster slow = flat_cluster();
  slow.levels[0].uplink.bandwidth = slow.levels[0].uplink.flow_limit = Bandwidth{1e6};
  const Evaluation evaluation = evaluated(kUneven, "pipeline:2; micro_batches=4", slow);
  EXPECT_EQ(evaluation.strategy.stages, std::vector<std::string>{"fc6"});
}

TEST(Balance, PartsNoKernelOfSeveralLayers) {
  Cluster cluster = flat_cluster();
  cluster.device.fusions[static_cast<std::size_t>(Fusion::dense_activation)] = true;
  const Graph graph = dense_chain({64, 4000, 64, 4000, 64, 4000, 64}, true);
  const Evaluation evaluation = evaluated(graph, "pipeline:3; micro_batches=4", cluster);
  for (const Stage& stage : evaluation.plan->stages) {
    EXPECT_NE(graph[stage.first].name.substr(0, 4), "relu");
  }
}

TEST(Balance, LeavesOtherStrategiesAsTheyAre) {
  const Cluster cluster = flat_cluster();
  const Setting setting{kUneven, cluster, kNothingMeasured};
  for (const char* text : {"data:4", "pipeline:2; stages=fc3", "pipeline:64"}) {
    const Strategy strategy = parse_strategy(text);
    EXPECT_EQ(with_stages(setting, strategy, training_of(256)), strategy) << text;
  }
}

TEST(Balance, NamesTheStageThatLimits) {
  const Evaluation evaluation =
      evaluated(dense_chain({2000, 2000, 9000, 9000, 2000}), "pipeline:3; micro_batches=16");
  const Fits& fits = *evaluation.fits();
  std::size_t busiest = 0;
  for (std::size_t s = 0; s < fits.stages.size(); ++s) {
    if (fits.stages[s].parts.busy() > fits.stages[busiest].parts.busy()) busiest = s;
  }
  EXPECT_EQ(fits.timeline.slowest_stage, busiest);
  EXPECT_NE(fits.bottleneck_text.find("on stage " + std::to_string(busiest) + ", the busiest of 3"),
            std::string::npos)
      << fits.bottleneck_text;
  EXPECT_EQ(fits.bottleneck, Bottleneck::compute) << fits.bottleneck_text;
  EXPECT_EQ(fits.memory.total(),
            std::max({fits.stages[0].memory, fits.stages[1].memory, fits.stages[2].memory}));
}

TEST(Balance, NamesTheLinkThatLimits) {
  Cluster slow = flat_cluster();
  slow.levels[0].uplink.bandwidth = slow.levels[0].uplink.flow_limit = Bandwidth{1e6};
  const Evaluation evaluation = evaluated(kUneven, "pipeline:3; micro_batches=8", slow);
  const Fits& fits = *evaluation.fits();
  EXPECT_EQ(fits.bottleneck, Bottleneck::activation_exchange);
  EXPECT_NE(fits.bottleneck_text.find("messages between stages"), std::string::npos)
      << fits.bottleneck_text;
  // Had messages taken no time, the step would be so much shorter.
  EXPECT_GT(fits.timeline.breakdown.messages, fits.timeline.length * 0.5);
}

TEST(Balance, SaysWhatAStepTakesAtLeast) {
  const Cluster cluster = flat_cluster();
  const Setting setting{kUneven, cluster, kNothingMeasured};
  PlanPricer pricer(kUneven, cluster, kNothingMeasured);
  OneStage one_stage(setting, pricer);
  const auto least = [&](const char* text) {
    const std::vector<std::int64_t> one = {1};
    return least_with_stages(setting, parse_strategy(text), training_of(256), one, one_stage)[0];
  };
  for (const char* text : {"pipeline:2; micro_batches=4", "pipeline:3; micro_batches=8"}) {
    const Seconds step = evaluated(kUneven, text).fits()->step.time;
    EXPECT_LE(least(text), step) << text;
    EXPECT_GE(least(text), step * 0.8) << text;
  }
  EXPECT_EQ(least("data:4"), Seconds{});
}

}  // namespace balance_test
}  // namespace oracle
