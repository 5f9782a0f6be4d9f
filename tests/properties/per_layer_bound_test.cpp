// The weighted sums of the search never exceed the step that evaluate() says, and on a chain that
// exchanges no gradients the first of them is the step.

#include "oracle/search/per_layer/problem.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/properties/per_layer_paths.h"

namespace oracle::per_layer {
namespace per_layer_bound_test {

TEST(Bound, IsNoLongerThanAnyStep) {
  double closest = 0;
  on_random_assignments(
      500, [&](const Problem& problem, const Parts& parts, const Evaluation& evaluation) {
        const double step = evaluation.fits()->step.time.value;
        for (const Weighting& weighting : problem.bounds()) {
          const double bound = weighting.of(parts) + problem.constant();
          EXPECT_LE(bound, step * (1 + 1e-9));
          closest = std::max(closest, bound / step);
        }
      });
  EXPECT_GT(closest, 0.999);
}

/// Two branches after an activation, one of a pooling whose windows overlap and one of much work.
Graph pooled_branch() {
  GraphBuilder builder("branches");
  LayerId last = builder.input(shape_of(16, {16, 16}));
  last = builder.add("conv1", "convolution", {last}, conv1x1(64));
  const LayerId fork = builder.add("relu1", "activation", {last});
  last = builder.add("conv2", "convolution", {fork}, conv1x1(512));
  const LayerId wide = builder.add("relu2", "activation", {last});
  last = builder.add(
      "pool", "pool", {fork},
      {{"kernel", std::int64_t{3}}, {"stride", std::int64_t{1}}, {"pad", std::int64_t{1}}});
  last = builder.add("conv3", "convolution", {last}, conv1x1(8));
  last = builder.add("join", "concat", {wide, last});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

TEST(Bound, OfBranchesWithoutGradientExchangeIsTheStep) {
  const Graph graph = pooled_branch();
  const Cluster cluster = flat_cluster();
  const Profile profile;
  const std::vector<std::int64_t> degrees = {4};
  const std::vector<Cut> cuts = {Cut::height};
  Strategy serial_exchange;
  serial_exchange.overlap = false;
  const Problem problem(graph, cluster, profile, training_of(64), degrees, cuts, serial_exchange);
  Expander expander(problem);
  const Path path(problem.steps().size(), 0);
  const auto parts = parts_of(expander, path);
  ASSERT_TRUE(parts.has_value());
  const Evaluation evaluation =
      evaluate(graph, cluster, profile, Judge(problem, 0).strategy(path, false), training_of(64));
  const double step = evaluation.fits()->step.time.value;
  for (const Weighting& weighting : problem.bounds()) {
    EXPECT_LE(weighting.of(*parts) + problem.constant(), step * (1 + 1e-9));
  }
  EXPECT_NEAR(problem.bounds()[0].of(*parts) + problem.constant(), step, 1e-9 * step);
}

TEST(Bound, OfAChainWithoutGradientExchangeIsTheStep) {
  const Graph chain = dense_chain({64, 256, 96, 256, 40}, true);
  const Cluster cluster = flat_cluster();
  const Profile profile;
  const std::vector<std::int64_t> degrees = {4};
  const std::vector<Cut> cuts = {Cut::none, Cut::filter, Cut::channel};
  const Problem problem(chain, cluster, profile, training_of(64), degrees, cuts, Strategy{});
  Expander expander(problem);
  const Judge judge(problem, 0);
  int tried = 0;
  for (std::uint16_t number = 0; number < 81; ++number) {
    const Path path = {
        static_cast<std::uint16_t>(number % 3), static_cast<std::uint16_t>(number / 3 % 3),
        static_cast<std::uint16_t>(number / 9 % 3), static_cast<std::uint16_t>(number / 27)};
    const auto parts = parts_of(expander, path);
    ASSERT_TRUE(parts.has_value());
    const Strategy strategy = judge.strategy(path, false);
    const Evaluation evaluation = evaluate(chain, cluster, profile, strategy, training_of(64));
    const double step = evaluation.fits()->step.time.value;
    EXPECT_NEAR(problem.bounds()[0].of(*parts) + problem.constant(), step, 1e-9 * step)
        << to_text(strategy);
    ++tried;
  }
  EXPECT_EQ(tried, 81);
}

}  // namespace per_layer_bound_test
}  // namespace oracle::per_layer
