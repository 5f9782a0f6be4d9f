#include "oracle/search/per_layer/sweep.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle::per_layer {
namespace per_layer_sweep_test {

constexpr std::array<Cut, 4> kCuts = {Cut::none, Cut::sample, Cut::filter, Cut::channel};
const Profile kProfile;

/// A residual block between two dense layers.
Graph residual() {
  GraphBuilder builder("residual");
  LayerId last = builder.input(shape_of(48));
  const auto dense = [&](const std::string& name, LayerId from, std::int64_t features) {
    return builder.add(name, "dense", {from}, {{"features", features}});
  };
  const LayerId trunk = dense("fc1", last, 64);
  last = builder.add("relu1", "activation", {dense("fc2", trunk, 512)});
  last = builder.add("add", "add", {dense("fc3", last, 64), trunk});
  builder.add("loss", "softmax_loss", {dense("fc4", last, 1024)});
  return builder.finish();
}

struct Bench {
  Graph graph = residual();
  Cluster cluster = flat_cluster();
  std::vector<std::int64_t> degrees = {2, 4};
  Problem problem{graph, cluster, kProfile, training_of(512), degrees, kCuts, Strategy{}};
  Expander expander{problem};
};

/// The least sum over all assignments, one by one.
double least_of_all(Bench& bench, const Weighting& weighting) {
  const std::size_t steps = bench.problem.steps().size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t number = 0; number < 65536; ++number) {
    std::size_t rest = number;
    std::vector<Record> row, next;
    Parts parts;
    double sum = 0;
    bool runs = true;
    for (std::size_t k = 0; k < steps && runs; ++k, rest /= 16) {
      runs = bench.expander.expand(k, row, static_cast<std::uint16_t>(rest % 16), next, parts);
      sum += weighting.of(parts);
      row = next;
    }
    if (runs) least = std::min(least, sum);
  }
  return least;
}

TEST(Sweep, FindsTheLeastSumOfEachWeighting) {
  Bench bench;
  ASSERT_EQ(bench.problem.steps().size(), 4U);
  SweepOptions options{.weightings = bench.problem.bounds(), .beam = 100'000, .choices = 16};
  const Sweep swept = sweep(bench.problem, bench.expander, options);
  EXPECT_TRUE(swept.complete);
  double most = 0;
  for (std::size_t w = 0; w < options.weightings.size(); ++w) {
    const double expected = least_of_all(bench, options.weightings[w]);
    std::vector<Record> row, next;
    Parts parts;
    double sum = 0;
    for (std::size_t k = 0; k < swept.paths[w].size(); ++k) {
      ASSERT_TRUE(bench.expander.expand(k, row, swept.paths[w][k], next, parts));
      sum += options.weightings[w].of(parts);
      row = next;
    }
    EXPECT_NEAR(sum, expected, 1e-12 * expected) << w;
    most = std::max(most, expected);
  }
  EXPECT_NEAR(swept.bound, most + bench.problem.constant(), 1e-12 * most);
}

TEST(Sweep, OfFewStatesClaimsNoMoreThanOfAll) {
  Bench bench;
  const std::vector<Weighting> bounds = bench.problem.bounds();
  const SweepOptions all{.weightings = bounds, .beam = 100'000, .choices = 16};
  const double bound = sweep(bench.problem, bench.expander, all).bound;
  for (const std::size_t beam : {1U, 4U, 16U}) {
    for (const std::size_t choices : {3U, 8U, 16U}) {
      const SweepOptions few{.weightings = bounds, .beam = beam, .choices = choices};
      const Sweep swept = sweep(bench.problem, bench.expander, few);
      EXPECT_LE(swept.bound, bound * (1 + 1e-12)) << beam << " states, " << choices << " choices";
      EXPECT_GT(swept.bound, 0);
      EXPECT_FALSE(swept.complete);
    }
  }
}

TEST(Sweep, LeavesNothingWhereNothingBeatsWhatIsKnown) {
  Bench bench;
  const SweepOptions options{
      .weightings = bench.problem.bounds(), .beam = 100'000, .choices = 16, .worst = 1e-9};
  const Sweep swept = sweep(bench.problem, bench.expander, options);
  EXPECT_TRUE(swept.complete);
  EXPECT_EQ(swept.bound, std::numeric_limits<double>::infinity());
  for (const auto& path : swept.paths) EXPECT_TRUE(path.empty());
}

}  // namespace per_layer_sweep_test
}  // namespace oracle::per_layer
