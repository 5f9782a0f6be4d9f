// What a search leaves out changes nothing of what it answers, nor do its shortcuts.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "oracle/evaluate/family.h"
#include "oracle/search/least_time.h"
#include "oracle/search/search.h"
#include "tests/properties/every_saving.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace pruning_test {

constexpr std::uint64_t kSearches = 520, kTextSearches = 40;

/// On every `step`-th case of an image, and on `texts` of texts.
template <typename Check>
void on_cases(std::uint64_t step, std::uint64_t texts, Check check) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < kSearches; seed += step * kStride) {
    seeds.push_back(seed);
  }
  for (std::uint64_t seed = 0; seed < texts; seed += kStride) {
    seeds.push_back(kTexts.first_seed + seed);
  }
  for (const std::uint64_t seed : seeds) {
    const Case drawn = random_case(seed);
    SCOPED_TRACE(to_text(drawn));
    check(drawn);
    if (testing::Test::HasFailure()) return;
  }
}

/// A number to its last bit.
std::string exactly(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%a", value);
  return text.data();
}

std::string text_of(const Candidate& row) {
  return to_text(row.strategy) + ' ' + exactly(row.step.time.value) + ' ' +
         exactly(row.step.uncertainty) + ' ' + exactly(row.memory.value) + ' ' +
         exactly(row.samples_per_second) + ' ' + exactly(row.exposed.value) + ' ' +
         std::string(name_of(row.bottleneck));
}

/// Counts, the first `most` candidates and all refusals.
std::vector<std::string> rows_of(const Ranking& ranking, std::size_t most) {
  std::vector<std::string> rows = {std::to_string(ranking.considered) + ' ' +
                                   std::to_string(ranking.fitting)};
  for (std::size_t i = 0; i < std::min(most, ranking.candidates.size()); ++i) {
    rows.push_back(text_of(ranking.candidates[i]));
  }
  for (const Refused& row : ranking.refused) {
    rows.push_back(std::to_string(row.count) + ' ' + to_text(row.nearest) + ' ' +
                   to_text(row.reason) + ' ' + exactly(row.reason.needed));
  }
  return rows;
}

/// The first `most` candidates alone.
std::vector<std::string> candidates_of(const Ranking& ranking, std::size_t most) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < std::min(most, ranking.candidates.size()); ++i) {
    rows.push_back(text_of(ranking.candidates[i]));
  }
  return rows;
}

/// No order of the axes makes a step shorter than is said before any is planned.
TEST(Pruning, TheLeastTimeIsNeverMore) {
  std::int64_t asked = 0, near = 0;
  on_cases(4, kTextSearches, [&](const Case& drawn) {
    Random random(drawn.seed);
    const Setting setting{drawn.graph, drawn.cluster, drawn.profile};
    LeastTime least(setting);
    Family family(setting);
    const std::int64_t ranks =
        std::min(random.pick<std::int64_t>({2, 4, 8, 12}), drawn.cluster.ranks());
    const SpaceOptions space = on_network(drawn.graph, {});
    const Strategy base = drawn.strategy.rules.empty() ? drawn.strategy : Strategy{};
    for (const Strategy& cuts : strategy_space(ranks, drawn.training.batch, base, space)) {
      SavingSpace savings = savings_of(cuts, drawn.training.batch, space);
      for (Saving saving; saving.recompute < savings.recompute.size(); ++saving.recompute) {
        Strategy recomputed = cuts;
        recomputed.mesh = in_common_order(cuts.mesh);
        recomputed.recompute = savings.recompute[saving.recompute];
        const std::vector<std::int64_t> chunks = {cuts.chunks};
        savings.least.push_back(
            least.of(recomputed, drawn.training, chunks, savings.zero.back()).front());
      }
      for_each_saving(savings, [&](const Saving& saving) {
        Strategy strategy = cuts;
        savings.put(saving, strategy);
        const Evaluation own =
            evaluate(drawn.graph, drawn.cluster, drawn.profile, strategy, drawn.training);
        if (own.fits() == nullptr) return;
        const Seconds bound = savings.least[saving.recompute].time;
        EXPECT_LE(bound, own.fits()->step.time) << to_text(strategy);
        EXPECT_LE(savings.least_memory(saving).value,
                  own.fits()->memory.total().value * (1 + 1e-12))
            << to_text(strategy);
        Strategy in_order = cuts;
        if (cuts.has(Cut::pipeline)) in_order.recompute = strategy.recompute;
        const std::vector<std::int64_t> chunks = {cuts.chunks};
        EXPECT_LE(family.least_steps(in_order, drawn.training, chunks)[0], own.fits()->step.time)
            << to_text(strategy);
        ++asked;
        near += bound > own.fits()->step.time * 0.5 ? 1 : 0;
      });
    }
  });
  EXPECT_GE(asked, enough(3000));
  EXPECT_GE(near, asked / 4);
}

/// A small space with a few variants of each of its families.
SearchRequest request_of(const Case& drawn) {
  Random random(drawn.seed);
  SearchRequest request;
  request.ranks = std::min(random.pick<std::int64_t>({1, 2, 4, 6, 8, 12}), drawn.cluster.ranks());
  request.training = drawn.training;
  request.objective =
      random.pick({Objective::time, Objective::time, Objective::throughput, Objective::memory});
  request.space.most_axes = 2;
  request.base.bucket = drawn.strategy.bucket;
  request.base.overlap = drawn.strategy.overlap;
  request.base.exchange = drawn.strategy.exchange;
  request.space.buckets = {Bytes{random.magnitude(1, 1e4)}, Bytes{random.magnitude(1e3, 1e8)}};
  request.space.exchanges = {"auto", random.pick<std::string_view>({"ring", "hierarchical"})};
  request.space.overlaps = {true, false};
  request.space.schedules = {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b};
  request.base.schedule = random.pick({PipelineSchedule::one_f_one_b, PipelineSchedule::one_f_one_b,
                                       PipelineSchedule::zb_h1, PipelineSchedule::zb_h2});
  request.space.parts_backward = random.chance(0.5);
  request.threads = 1;
  return request;
}

Ranking run(const Case& drawn, const SearchRequest& request) {
  return search(drawn.graph, drawn.cluster, drawn.profile, request);
}

TEST(Pruning, AnswersAsTheExhaustiveSearch) {
  std::int64_t fitting = 0, left_out = 0, left_out_of_few = 0, unplanned = 0;
  on_cases(1, kTextSearches, [&](const Case& drawn) {
    const std::uint64_t seed = drawn.seed;
    SearchRequest request = request_of(drawn);
    request.prune = false;
    const Ranking all = run(drawn, request);
    EXPECT_EQ(all.priced, all.fitting);

    request.prune = true;
    const Ranking pruned = run(drawn, request);
    EXPECT_EQ(rows_of(pruned, pruned.candidates.size()), rows_of(all, all.candidates.size()));

    request.keep = 1 + static_cast<std::size_t>(seed % 3);
    request.threads = 1 + static_cast<unsigned>(seed % 2);
    const Ranking few = run(drawn, request);
    EXPECT_LE(few.candidates.size(), request.keep);
    EXPECT_EQ(few.considered, all.considered);
    EXPECT_EQ(candidates_of(few, request.keep), candidates_of(all, request.keep));
    std::int64_t refused = 0;
    for (const Refused& row : few.refused) refused += row.count;
    EXPECT_EQ(few.fitting + refused + few.unplanned, few.considered);
    unplanned += few.unplanned;

    fitting += all.fitting;
    left_out += pruned.fitting - pruned.priced;
    left_out_of_few += few.fitting - few.priced;
  });
  EXPECT_GE(fitting, enough(50'000));
  EXPECT_GE(left_out, fitting / 100);
  EXPECT_GT(left_out_of_few + unplanned, left_out);
  EXPECT_GE(unplanned, enough(1000));
}

bool is_better(const Fits& a, const Fits& b, Objective objective) {
  if (objective == Objective::throughput) return a.samples_per_second > b.samples_per_second;
  const Bytes own = a.memory.total(), other = b.memory.total();
  if (objective == Objective::memory) {
    return std::pair(own, a.step.time) < std::pair(other, b.step.time);
  }
  return std::pair(a.step.time, own) < std::pair(b.step.time, other);
}

std::string but_for_recompute(Strategy strategy) {
  strategy.stages.clear();
  strategy.recompute.clear();
  return to_text(strategy);
}

/// A search that begins with what saves most may find that computing again takes no longer.
TEST(Pruning, ExhaustiveIsEvaluateOnEveryVariant) {
  on_cases(13, kTextSearches / 4, [](const Case& drawn) {
    const SearchRequest request = request_of(drawn);
    std::map<std::string, Evaluation> bests;
    std::int64_t considered = 0, fitting = 0;
    const SpaceOptions space = on_network(drawn.graph, request.space);
    for (const Strategy& cuts :
         strategy_space(request.ranks, request.training.batch, request.base, space)) {
      const std::vector<Variant> variants = variants_of(cuts, request.base, space);
      const SavingSpace savings = savings_of(cuts, request.training.batch, space);
      std::optional<Evaluation> best;
      std::vector<Saving> enough;
      std::size_t most_fit = 0;
      for_each_saving(savings, [&](const Saving& saving) {
        const bool needed = request.objective == Objective::memory ||
                            std::none_of(enough.begin(), enough.end(), [&](const Saving& less) {
                              return savings.is_enough(less, saving);
                            });
        if (!needed) return;
        Strategy strategy = cuts;
        savings.put(saving, strategy);
        std::size_t fit = 0;
        for (const Variant& variant : variants) {
          put(variant, strategy);
          Evaluation own =
              evaluate(drawn.graph, drawn.cluster, drawn.profile, strategy, request.training);
          if (own.fits() == nullptr) continue;
          ++fit;
          if (!best || is_better(*own.fits(), *best->fits(), request.objective)) best = own;
        }
        if (fit == variants.size()) enough.push_back(saving);
        most_fit = std::max(most_fit, fit);
      });
      considered += static_cast<std::int64_t>(variants.size());
      fitting += static_cast<std::int64_t>(most_fit);
      if (best) bests.emplace(but_for_recompute(best->strategy), *best);
    }
    const Ranking ranking = run(drawn, request);
    EXPECT_EQ(ranking.considered, considered);
    EXPECT_EQ(ranking.fitting, fitting);
    EXPECT_EQ(ranking.candidates.size(), bests.size());
    for (const Candidate& row : ranking.candidates) {
      const Evaluation own =
          evaluate(drawn.graph, drawn.cluster, drawn.profile, row.strategy, request.training);
      ASSERT_NE(own.fits(), nullptr);
      EXPECT_EQ(own.fits()->step.time, row.step.time);
      EXPECT_EQ(own.fits()->memory.total(), row.memory);
      const auto best = bests.find(but_for_recompute(row.strategy));
      ASSERT_NE(best, bests.end()) << to_text(row.strategy);
      EXPECT_FALSE(is_better(*best->second.fits(), *own.fits(), request.objective))
          << to_text(row.strategy) << " and " << to_text(best->second.strategy);
    }
  });
}

}  // namespace pruning_test
}  // namespace oracle
