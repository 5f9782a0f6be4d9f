#include "oracle/cost/arrival_skew.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace arrival_skew_test {

TEST(ArrivalSkew, WorkedNumber) {
  EXPECT_NEAR(arrival_skew(Seconds{0.1}, 8, 0.025).value, 5.1e-3, 0.01e-3);
  EXPECT_NEAR(arrival_skew(Seconds{0.1}, 8, 0.025, 1).value, 3.03e-3, 0.01e-3);
  EXPECT_EQ(arrival_skew(Seconds{0.1}, 1, 0.025).value, 0);
}

/// Whichever ranks are waited for, those of a simulation come as late.
TEST(ArrivalSkew, OrderStatisticsAreThoseOfDraws) {
  std::mt19937_64 random(20261128);
  std::normal_distribution<double> normal;
  constexpr int kDraws = 20'000;
  for (const std::int64_t n : {2, 8, 32, 100}) {
    std::vector<double> sums(static_cast<std::size_t>(n));
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> times(sums.size());
      for (double& time : times) time = normal(random);
      std::sort(times.begin(), times.end());
      for (std::size_t k = 0; k < times.size(); ++k) sums[k] += times[k];
    }
    for (std::int64_t k = 1; k <= n; ++k) {
      const double drawn = sums[static_cast<std::size_t>(k - 1)] / kDraws;
      EXPECT_NEAR(order_statistic(k, n), drawn, 0.03) << k << " of " << n;
    }
  }
}

/// What is lost of the samples may be less than what is won of the time, and is not with ranks that
/// are alike.
TEST(ArrivalSkew, BackUpRanksPayWhereTimesScatter) {
  const Graph graph = load_model("resnet50");
  Cluster cluster = load_cluster("dgx-a100");
  Training training;
  training.batch = 32 * 64;
  const auto throughput = [&](double spread, const char* strategy) {
    cluster.device.compute_spread = spread;
    return evaluate(graph, cluster, Profile{}, parse_strategy(strategy), training)
        .fits()
        ->samples_per_second;
  };
  EXPECT_LT(throughput(0.025, "data:64; backup=4"), throughput(0.025, "data:64"));
  EXPECT_GT(throughput(0.3, "data:64; backup=4"), throughput(0.3, "data:64"));
  EXPECT_GT(throughput(0.3, "data:64; backup=4"), throughput(0.3, "data:64; backup=32"));
}

TEST(ArrivalSkew, BackUpRanksAreOfWholeGradients) {
  const Graph graph = load_model("alexnet");
  const Cluster cluster = load_cluster("dgx-a100");
  Training training;
  training.batch = 64;
  const auto run = [&](const char* strategy) {
    return evaluate(graph, cluster, Profile{}, parse_strategy(strategy), training);
  };
  for (const char* strategy : {"data:8; zero=1; backup=1", "data:4,filter:2; backup=1",
                               "data:8; exchange=int8; backup=1"}) {
    EXPECT_THROW(run(strategy), InputError) << strategy;
  }
  EXPECT_EQ(run("data:8; backup=8").fits(), nullptr);
  EXPECT_NE(run("data:8; backup=7").fits(), nullptr);
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
