#include "oracle/evaluate/sensitivity.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace sensitivity_test {

const Graph kChain = dense_chain({1024, 1024, 1024, 1024}, true);

/// Nodes of four on fast wires, sixteen nodes on slow ones.
Cluster two_levels() {
  Cluster cluster = flat_cluster();
  cluster.levels = {{"node", 4, {"bus", Bandwidth{100e9}, Bandwidth{100e9}, Seconds{5e-6}}},
                    {"room", 16, {"cable", Bandwidth{20e9}, Bandwidth{10e9}, Seconds{20e-6}}}};
  return cluster;
}

Sensitivity sensitivity_of(const std::string& strategy, const Cluster& cluster,
                           const Profile& profile = {}) {
  const Evaluation evaluation =
      evaluate(kChain, cluster, profile, parse_strategy(strategy), training_of(4096));
  return sensitivity(kChain, cluster, profile, evaluation);
}

double value_of(const Sensitivity& found, MachineFigure figure, std::size_t level = 0) {
  for (const Elasticity& row : found.elasticities) {
    if (row.figure == figure && row.level == level) return row.value;
  }
  ADD_FAILURE() << name_of(figure);
  return 0;
}

/// The elasticity of a figure that `share` of the step is inversely proportional to.
double expected(double share) { return -std::log(1 - share * (1 - 1 / 1.001)) / std::log(1.001); }

TEST(Sensitivity, OneRankHasTheSharesOfItsTerms) {
  Cluster cluster = flat_cluster();
  cluster.device.launch_overhead = Seconds{100e-6};
  const Training training = training_of(4096);
  const Evaluation evaluation =
      evaluate(kChain, cluster, {}, parse_strategy("serial"), training, Detail::events);
  // Starts counted by hand. Products: forward of 3 dense, 2 data and 3 weight gradients (no bias).
  // Streams: 2 activations and a loss, forward and backward, and one update. Parts of a long k that
  // are added up start 0.3 of a product besides, 1.2 times as long in a step: at most those of the
  // weight gradients.
  const double step = evaluation.fits()->step.time.value;
  const double least = (8 * 4.0 / 3 + 7 * 2.0 / 3) * 100e-6 / step;
  const double most = least + 1.2 * 3 * 0.3 * 4 / 3 * 100e-6 / step;
  const Sensitivity found = sensitivity(kChain, cluster, {}, evaluation);
  EXPECT_GE(value_of(found, MachineFigure::launch_overhead), expected(least) - 1e-9);
  EXPECT_LE(value_of(found, MachineFigure::launch_overhead), expected(most) + 1e-9);
  EXPECT_EQ(value_of(found, MachineFigure::link_bandwidth), 0);
  EXPECT_EQ(value_of(found, MachineFigure::link_latency), 0);
  EXPECT_NEAR(found.sum, 1, 0.005);
}

TEST(Sensitivity, ChangesAreThoseThatTheFrameworkHasASwitchFor) {
  Training training = training_of(4096);
  training.framework.switches = {"bucket", "exchange"};
  Cluster cluster = flat_cluster();
  cluster.device.device_class = DeviceClass::gpu;
  const Evaluation evaluation = evaluate(kChain, cluster, {}, parse_strategy("data:4"), training);
  std::set<std::string> texts;
  for (const Change& change : sensitivity(kChain, cluster, {}, evaluation).changes) {
    texts.insert(change.text);
  }
  EXPECT_EQ(texts, (std::set<std::string>{"bucket=12.5 MiB", "bucket=50.0 MiB", "exchange=ring",
                                          "exchange=double_tree"}));
}

/// No stages lie apart under GPipe, and no shards are of a state that is whole.
TEST(Sensitivity, AChangeThatContradictsAnotherOptionIsNone) {
  const auto texts_of = [](const std::string& strategy) {
    std::set<std::string> texts;
    for (const Change& change : sensitivity_of(strategy, flat_cluster()).changes) {
      texts.insert(change.text);
    }
    return texts;
  };
  const std::set<std::string> apart = texts_of("pipeline:2; micro_batches=4; chunks=2");
  EXPECT_TRUE(apart.contains("schedule=zb_h1"));
  EXPECT_FALSE(apart.contains("schedule=gpipe"));
  const std::set<std::string> shared = texts_of("data:4; zero=3; shard=2");
  EXPECT_TRUE(shared.contains("zero=2"));
  EXPECT_FALSE(shared.contains("zero=0"));
}

TEST(Sensitivity, AHostThatSetsThePaceHasItAll) {
  Cluster cluster = flat_cluster();
  Training training = training_of(64);
  training.framework.host_per_kernel = Seconds{1e-3};
  const Evaluation evaluation = evaluate(kChain, cluster, {}, parse_strategy("serial"), training);
  const Sensitivity found = sensitivity(kChain, cluster, {}, evaluation);
  EXPECT_EQ(found.elasticities.front().figure, MachineFigure::host);
  EXPECT_GT(found.elasticities.front().value, 0.9);
  EXPECT_NEAR(found.sum, 1, 0.02);
}

TEST(Sensitivity, SumsToOne) {
  for (const char* strategy :
       {"serial", "data:4", "data:64", "data:64; overlap=off", "filter:4", "data:8,filter:8",
        "tensor:16", "data:4,pipeline:2; micro_batches=8", "pipeline:3; micro_batches=4"}) {
    EXPECT_NEAR(sensitivity_of(strategy, two_levels()).sum, 1, 0.02) << strategy;
  }
}

TEST(Sensitivity, AllFiguresTogetherAreAFasterClock) {
  for (const char* strategy : {"data:64", "data:8,filter:8", "data:4,pipeline:2"}) {
    Cluster cluster = two_levels();
    Profile profile;
    profile.overlap = Overlap::alike(0.1);
    profile.links = {{"room", {{Bytes{0}, Seconds{30e-6}, Bandwidth{8e9}, 0.1}}}};
    const auto step = [&] {
      return evaluate(kChain, cluster, profile, parse_strategy(strategy), training_of(4096))
          .fits()
          ->step.time;
    };
    const Seconds before = step();
    DrivenMachine machine{cluster, profile, {}};
    for (const Elasticity& figure : figures_of(machine)) improve(figure, 2, machine);
    cluster = machine.cluster;
    profile = machine.profile;
    EXPECT_NEAR(before / step(), 2, 1e-9) << strategy;
  }
}

TEST(Sensitivity, NamesTheSlowLink) {
  Cluster cluster = two_levels();
  cluster.levels[1].uplink.bandwidth = cluster.levels[1].uplink.flow_limit = Bandwidth{0.1e9};
  const Sensitivity found = sensitivity_of("data:64", cluster);
  EXPECT_EQ(found.elasticities.front().figure, MachineFigure::link_bandwidth);
  EXPECT_EQ(found.elasticities.front().level, 1U);
  EXPECT_GT(found.elasticities.front().value, 0.9);
}

TEST(Sensitivity, MeasuredLinksCountAsLinks) {
  Profile profile;
  profile.links = {{"node", {{Bytes{0}, Seconds{1e-6}, Bandwidth{0.05e9}, 0.1}}}};
  const Sensitivity found = sensitivity_of("data:4", two_levels(), profile);
  EXPECT_EQ(found.elasticities.front().figure, MachineFigure::link_bandwidth);
  EXPECT_GT(found.elasticities.front().value, 0.9);
  EXPECT_NEAR(found.sum, 1, 0.02);
}

TEST(Sensitivity, AChangeGainsWhatItsOwnEvaluationSays) {
  const Cluster cluster = two_levels();
  const auto step = [&](const std::string& strategy) {
    return evaluate(kChain, cluster, {}, parse_strategy(strategy), training_of(4096))
        .fits()
        ->step.time;
  };
  const Sensitivity found = sensitivity_of("data:64; bucket=1 MiB; overlap=off", cluster);
  bool seen = false;
  for (const Change& change : found.changes) {
    if (change.text != "overlap=on") continue;
    seen = true;
    EXPECT_EQ(change.step, step("data:64; bucket=1 MiB"));
    EXPECT_NEAR(change.gain,
                1 - step("data:64; bucket=1 MiB") / step("data:64; bucket=1 MiB; overlap=off"),
                1e-12);
    EXPECT_GT(change.gain, 0);
  }
  EXPECT_TRUE(seen);
  for (std::size_t i = 1; i < found.changes.size(); ++i) {
    EXPECT_LE(found.changes[i].gain, found.changes[i - 1].gain);
  }
}

TEST(Sensitivity, AChangeThatDoesNotFitHasNoStep) {
  Cluster cluster = flat_cluster();
  const Strategy strategy = parse_strategy("pipeline:2; micro_batches=8");
  const auto memory = [&](const std::string& text) {
    return evaluate(kChain, cluster, {}, parse_strategy(text), training_of(4096))
        .fits()
        ->memory.total();
  };
  const Bytes have = memory("pipeline:2; micro_batches=8");
  ASSERT_GT(memory("pipeline:2; micro_batches=8; schedule=gpipe"), have);
  cluster.device.memory = have;
  const Evaluation evaluation = evaluate(kChain, cluster, {}, strategy, training_of(4096));
  const Sensitivity found = sensitivity(kChain, cluster, {}, evaluation);
  EXPECT_EQ(found.changes.back().step, std::nullopt);
}

}  // namespace sensitivity_test
}  // namespace oracle
