// On small random cases the search finds exactly what trying every assignment finds: the same step
// to the last bit, or that nothing fits. Networks of 3 to 6 contractions with branches, gates and
// residuals, machines of every balance, one or two mesh axes, memory cut until it binds.

#include <algorithm>
#include <optional>

#include "oracle/search/per_layer/mesh_search.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace per_layer_exhaustive_test {

constexpr std::int64_t kMostAssignments = 1300;

std::vector<LayerId> contractions_of(const Graph& graph) {
  std::vector<LayerId> ids;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (graph[id].mixing == Mixing::contraction) ids.push_back(id);
  }
  return ids;
}

struct SmallCase {
  Case drawn;
  per_layer::MeshRequest request;
  std::vector<LayerId> contractions;
};

std::vector<Cut> some_cuts(Random& random, std::size_t count) {
  std::vector<Cut> cuts = {Cut::none,    Cut::sample, Cut::filter,
                           Cut::channel, Cut::height, Cut::width};
  while (cuts.size() > count) {
    cuts.erase(cuts.begin() + random.whole(0, static_cast<std::int64_t>(cuts.size()) - 1));
  }
  return cuts;
}

std::int64_t power(std::int64_t base, std::size_t exponent) {
  std::int64_t result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

/// The case of a seed, or nothing where its network or machine is too large or too small.
std::optional<SmallCase> small_case(std::uint64_t seed) {
  SmallCase small{random_case(seed), {}, {}};
  Random random(seed * 77 + 5);
  small.contractions = contractions_of(small.drawn.graph);
  if (small.contractions.size() < 3 || small.contractions.size() > 6) return std::nullopt;
  per_layer::MeshRequest& request = small.request;
  request.degrees = {random.pick<std::int64_t>({2, 2, 3, 4, 8})};
  if (random.chance(0.4)) request.degrees.push_back(random.pick<std::int64_t>({2, 3, 4}));
  std::int64_t ranks = 1;
  for (const std::int64_t degree : request.degrees) ranks *= degree;
  if (ranks > small.drawn.cluster.ranks()) return std::nullopt;
  std::size_t cuts = 6;
  const auto assignments = [&] {
    return power(power(static_cast<std::int64_t>(cuts), request.degrees.size()),
                 small.contractions.size());
  };
  while (assignments() > kMostAssignments) --cuts;
  if (cuts < 2) return std::nullopt;
  request.cuts = some_cuts(random, cuts);
  request.training = small.drawn.training;
  request.base.overlap = random.chance(0.8);
  request.base.bucket = Bytes{random.magnitude(1e2, 1e7)};
  request.base.micro_batches = random.chance(0.2) ? 2 : 0;
  request.base.batch_norm = random.pick({BatchNormMode::per_replica, BatchNormMode::synchronized});
  return small;
}

Strategy named(const SmallCase& small, const std::vector<std::vector<Cut>>& cuts) {
  Strategy strategy = small.request.base;
  for (const std::int64_t degree : small.request.degrees) {
    strategy.mesh.push_back({degree, Cut::follow});
  }
  strategy.micro_batches = std::max<std::int64_t>(strategy.micro_batches, 1);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    strategy.rules.push_back({small.drawn.graph[small.contractions[i]].name, cuts[i]});
  }
  return strategy;
}

std::vector<std::vector<Cut>> choices_of(const per_layer::MeshRequest& request) {
  std::vector<std::vector<Cut>> choices;
  for (const Cut first : request.cuts) {
    if (request.degrees.size() == 1) {
      choices.push_back({first});
      continue;
    }
    for (const Cut second : request.cuts) choices.push_back({first, second});
  }
  return choices;
}

struct Judged {
  std::vector<double> steps;
  std::vector<double> memories;
};

Judged try_everything(const SmallCase& small) {
  const auto choices = choices_of(small.request);
  Judged judged;
  const auto judge = [&](const Strategy& strategy) {
    const Case& drawn = small.drawn;
    const Evaluation evaluation =
        evaluate(drawn.graph, drawn.cluster, drawn.profile, strategy, drawn.training);
    if (evaluation.fits() == nullptr) return;
    judged.steps.push_back(evaluation.fits()->step.time.value);
    judged.memories.push_back(evaluation.fits()->memory.total().value);
  };
  const std::int64_t count =
      power(static_cast<std::int64_t>(choices.size()), small.contractions.size());
  for (std::int64_t number = 0; number < count; ++number) {
    std::vector<std::vector<Cut>> cuts;
    std::int64_t rest = number;
    for (std::size_t i = 0; i < small.contractions.size(); ++i) {
      cuts.push_back(choices[static_cast<std::size_t>(rest) % choices.size()]);
      rest /= static_cast<std::int64_t>(choices.size());
    }
    judge(named(small, cuts));
  }
  for (const std::vector<Cut>& choice : choices) {
    Strategy uniform = named(small, {});
    for (std::size_t a = 0; a < choice.size(); ++a) uniform.mesh[a].cut = choice[a];
    judge(uniform);
  }
  return judged;
}

/// What fits into the median of what all assignments need, or into less than any of them.
void tighten_memory(SmallCase& small, Judged& judged, Random& random) {
  std::vector<double> sorted = judged.memories;
  std::sort(sorted.begin(), sorted.end());
  const double share = random.pick<double>({0.0, 0.1, 0.5});
  const double least =
      share == 0.0 ? sorted.front() * 0.99
                   : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))];
  small.drawn.cluster.device.memory =
      Bytes{least * static_cast<double>(small.drawn.cluster.ranks_per_device)};
  judged = try_everything(small);
}

class Exhaustive : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Exhaustive, FindsWhatTryingEverythingFinds) {
  constexpr int kCasesEach = 50 / static_cast<int>(kStride);
  int tried = 0, tight = 0, hopeless = 0;
  for (std::uint64_t seed = GetParam() * 10'000; tried < kCasesEach; ++seed) {
    std::optional<SmallCase> small = small_case(seed);
    if (!small) continue;
    Judged judged = try_everything(*small);
    Random random(seed);
    if (!judged.steps.empty() && random.chance(0.4)) {
      tighten_memory(*small, judged, random);
      ++tight;
    }
    ++tried;
    hopeless += judged.steps.empty() ? 1 : 0;
    SCOPED_TRACE(to_text(small->drawn));
    const Case& drawn = small->drawn;
    const per_layer::MeshAnswer answer =
        per_layer::search_mesh(drawn.graph, drawn.cluster, drawn.profile, small->request);
    EXPECT_TRUE(answer.proven);
    ASSERT_EQ(answer.best.has_value(), !judged.steps.empty());
    if (!answer.best) continue;
    const double best = *std::min_element(judged.steps.begin(), judged.steps.end());
    ASSERT_EQ(answer.best->step.value, best) << to_text(answer.best->strategy);
    EXPECT_LE(answer.bound.value, best);
    const Evaluation again =
        evaluate(drawn.graph, drawn.cluster, drawn.profile,
                 parse_strategy(to_text(answer.best->strategy)), drawn.training);
    ASSERT_NE(again.fits(), nullptr);
    EXPECT_EQ(again.fits()->step.time.value, best);
  }
  EXPECT_GE(tight, enough(5));
  EXPECT_GE(hopeless, enough(1));
}

/// 10 · 50 cases; kCasesEach each, so that none takes long.
INSTANTIATE_TEST_SUITE_P(Seeds, Exhaustive, testing::Range<std::uint64_t>(0, 10));

}  // namespace per_layer_exhaustive_test
}  // namespace oracle
