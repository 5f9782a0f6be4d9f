#pragma once
// Random assignments of cuts to the contractions of random networks, for the laws of the search.

#include <gtest/gtest.h>
#include <optional>

#include "oracle/search/per_layer/expander.h"
#include "oracle/search/per_layer/judge.h"
#include "tests/properties/random_cases.h"

namespace oracle::per_layer {

inline constexpr std::array<Cut, 6> kAllCuts = {Cut::none,    Cut::sample, Cut::filter,
                                                Cut::channel, Cut::height, Cut::width};

/// What an assignment adds to a step, summed; nothing where a layer refuses it.
inline std::optional<Parts> parts_of(Expander& expander, const Path& path) {
  std::vector<Record> row, next;
  Parts sum, parts;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (!expander.expand(k, row, path[k], next, parts)) return std::nullopt;
    sum.add(parts);
    row = next;
  }
  return sum;
}

/// Most of a network is cut alike, so that many assignments can be planned.
inline Path random_path(const Problem& problem, Random& random) {
  const auto choice = [&] {
    return static_cast<std::uint16_t>(
        random.whole(0, static_cast<std::int64_t>(problem.choices().size()) - 1));
  };
  Path path(problem.steps().size(), choice());
  for (std::uint16_t& own : path) {
    if (random.chance(0.3)) own = choice();
  }
  return path;
}

/// Calls `check(case, problem, parts, evaluation)` for assignments of random cases that fit, at
/// least `least` of them.
template <typename Check>
void on_random_assignments(int least, Check check) {
  int fitting = 0;
  for (std::uint64_t seed = 0; seed < 1200 && !testing::Test::HasFailure(); seed += kStride) {
    const Case drawn = random_case(seed);
    Random random(seed + 99);
    std::vector<std::int64_t> degrees = {random.pick<std::int64_t>({2, 3, 4})};
    if (random.chance(0.5)) degrees.push_back(2);
    std::int64_t ranks = 1;
    for (const std::int64_t degree : degrees) ranks *= degree;
    const bool runs = drawn.cluster.device.peak_of(drawn.training.precision.compute).value > 0;
    if (ranks > drawn.cluster.ranks() || !runs) continue;
    Strategy base;
    base.overlap = random.chance(0.7);
    base.bucket = Bytes{random.magnitude(1e2, 1e7)};
    base.micro_batches = random.chance(0.2) ? 2 : 1;
    base.batch_norm = random.pick({BatchNormMode::per_replica, BatchNormMode::synchronized});
    const Problem problem(drawn.graph, drawn.cluster, drawn.profile, drawn.training, degrees,
                          kAllCuts, base);
    Expander expander(problem);
    const Judge judge(problem, 0);
    for (int i = 0; i < 4; ++i) {
      const Path path = random_path(problem, random);
      const std::optional<Parts> parts = parts_of(expander, path);
      const Strategy strategy = judge.strategy(path, false);
      SCOPED_TRACE(to_text(drawn) + ": " + to_text(strategy));
      const Evaluation evaluation = evaluate(drawn.graph, drawn.cluster, drawn.profile, strategy,
                                             drawn.training, Detail::events);
      if (!parts) {
        EXPECT_EQ(evaluation.fits(), nullptr);
        continue;
      }
      if (evaluation.fits() == nullptr) continue;
      ++fitting;
      check(problem, *parts, evaluation);
    }
  }
  if (!testing::Test::HasFailure()) {
    EXPECT_GE(fitting, enough(least));
  }
}

}  // namespace oracle::per_layer
