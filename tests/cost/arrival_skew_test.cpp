#include "oracle/cost/arrival_skew.h"

#include <gtest/gtest.h>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace arrival_skew_test {

TEST(ArrivalSkew, WorkedNumber) {
  EXPECT_NEAR(arrival_skew(Seconds{0.1}, 8).value, 5.1e-3, 0.01e-3);
  EXPECT_EQ(arrival_skew(Seconds{0.1}, 1).value, 0);
}

/// With links that take no time, a step of 8 ranks is longer than one's by what they wait.
TEST(ArrivalSkew, NoOverlapHidesIt) {
  const Graph graph = load_model("resnet50");
  Cluster cluster = load_cluster("dgx-1-v100");
  for (Level& level : cluster.levels) {
    level.uplink.bandwidth = level.uplink.flow_limit = Bandwidth{1e18};
    level.uplink.latency = {};
  }
  Training training;
  training.batch = 32;
  const auto step = [&](const char* strategy, std::int64_t batch) {
    training.batch = batch;
    const Evaluation evaluation =
        evaluate(graph, cluster, Profile{}, parse_strategy(strategy), training);
    return evaluation.fits()->step.time;
  };
  const Seconds one = step("serial", 32), eight = step("data:8", 256);
  EXPECT_GT(eight, one * 1.04);
  EXPECT_LT(eight, one * 1.06);
}

/// However state lies in shards, and whenever gradients are summed, these need all ranks.
TEST(ArrivalSkew, IsWaitedForWhereverGradientsAreSummed) {
  const Graph graph = load_model("gpt2");
  const Cluster cluster = load_cluster("dgx-h100");
  Training training;
  training.batch = 64;
  const auto exposed = [&](const char* strategy) {
    const Evaluation evaluation =
        evaluate(graph, cluster, Profile{}, parse_strategy(strategy), training);
    return evaluation.fits()->timeline.breakdown.exposed_gradient.value;
  };
  const double whole = exposed("data:8");
  for (const char* strategy : {"data:8; zero=1", "data:8; zero=2", "data:8; zero=3",
                               "data:8; micro_batches=2; sync=micro_batch"}) {
    EXPECT_GT(exposed(strategy), 0.8 * whole) << strategy;
  }
}

/// Where links were measured, what was measured has it already.
TEST(ArrivalSkew, IsOfLinksAsDescribedAlone) {
  const Graph graph = load_model("alexnet");
  const Cluster cluster = load_cluster("dgx-1-v100");
  Training training;
  training.batch = 8 * 128;
  Profile profile;
  for (const Level& level : cluster.levels) {
    profile.links.push_back(
        {level.name, {{Bytes{}, level.uplink.latency, level.uplink.bandwidth, 0.1}}});
  }
  const auto step = [&](const Profile& known) {
    return evaluate(graph, cluster, known, parse_strategy("data:8; overlap=off"), training)
        .fits()
        ->step.time;
  };
  EXPECT_LT(step(profile), step(Profile{}));
}

}  // namespace arrival_skew_test
}  // namespace oracle
