#include "oracle/report/ranking_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::int64_t refused_count(const Ranking& ranking) {
  return std::accumulate(
      ranking.refused.begin(), ranking.refused.end(), std::int64_t{0},
      [](std::int64_t sum, const Refused& refused) { return sum + refused.count; });
}

std::string order_of(Objective objective) {
  switch (objective) {
    case Objective::memory:
      return "least memory";
    case Objective::throughput:
      return "highest throughput";
    case Objective::cost:
      return "cheapest";
    case Objective::time:
      break;
  }
  return "fastest";
}

std::string headline(const Subject& subject, const Ranking& ranking, const Evaluation* best,
                     const RankingView& view) {
  if (!best || !best->fits()) {
    return "nothing fits on " + ranks_phrase(view.ranks, subject.cluster) + "   " +
           number_of(ranking.considered, "strategy", "strategies") + " considered";
  }
  std::string text =
      short_text(best->strategy) + "   " + fit_sentence(*best->fits(), subject.cluster);
  if (view.recommended.others > 0) {
    text += "   " + number_of(static_cast<std::int64_t>(view.recommended.others), "other") +
            " within " + std::to_string(std::lround(kAlike * 100)) + " %";
  }
  return text;
}

std::string subject_line(const Subject& subject, const Ranking& ranking, const RankingView& view) {
  return subject.graph.name + " on " + subject.cluster.id + ", " +
         ranks_phrase(view.ranks, subject.cluster) + ", " +
         batch_phrase(view.training.batch, subject.cluster) + ", " +
         training_phrase(view.training) + "; " + grouped(ranking.considered) + " considered, " +
         (ranking.unplanned > 0 ? grouped(ranking.unplanned) + " too slow at best, " : "") +
         grouped(ranking.fitting) + " fit, " + order_of(view.objective) + " first";
}

Fields count_fields(const Ranking& ranking, const RankingView& view) {
  const bool any = !ranking.candidates.empty();
  const Cell recommended =
      any ? words(strategy_text(ranking.candidates.at(view.recommended.index).strategy)) : Cell{};
  return {.rows = {{"objective", {}, named(name_of(view.objective))},
                   {"recommended", {}, recommended},
                   {"as_good", {}, count(static_cast<std::int64_t>(view.recommended.others))},
                   {"considered", {}, count(ranking.considered)},
                   {"fit", {}, count(ranking.fitting)},
                   {"unplanned", {}, count(ranking.unplanned)},
                   {"refused_count", {}, count(refused_count(ranking))}},
          .shown = false};
}

/// Three digits even of a fraction of a cent.
Cell money(double dollars) {
  return {.text = "$" + significant(dollars), .value = dollars, .unit = "USD"};
}

std::vector<Column> candidate_columns(bool priced) {
  std::vector<Column> columns = {
      number_column("rank", "#"),
      text_column("strategy", "strategy"),
      number_column("step_time", "step", "s"),
      left_out(number_column("uncertainty", "±", "1"), 5),
      left_out(number_column("throughput", "samples/s", "samples/s"), 2),
      left_out(number_column("memory", "memory", "B"), 3),
      left_out(number_column("exposed_communication", "exposed", "s"), 1),
      left_out(text_column("bottleneck", "limited by"), 4),
      data_column("also")};
  if (!priced) return columns;
  columns.push_back(number_column("cost_per_step", "a step", "USD"));
  columns.push_back(number_column("cost_per_million_samples", "10⁶ samples", "USD"));
  return columns;
}

/// Strategies hold commas and semicolons.
std::string strategies_text(std::span<const Strategy> strategies) {
  std::string text;
  for (const Strategy& strategy : strategies) {
    text += (text.empty() ? "" : " | ") + strategy_text(strategy);
  }
  return text;
}

Row candidate_row(std::int64_t rank, const Candidate& candidate, bool priced) {
  Row row{{count(rank), words(strategy_text(candidate.strategy)), cost(candidate.step),
           share(candidate.step.uncertainty), samples(candidate.samples_per_second),
           memory_size(candidate.memory), time(candidate.exposed),
           named(name_of(candidate.bottleneck)), words(strategies_text(candidate.also))}};
  if (!priced) return row;
  row.cells.push_back(money(candidate.spending.per_step));
  row.cells.push_back(money(candidate.spending.per_million_samples));
  return row;
}

Table candidate_table(std::span<const Candidate> candidates, const RankingView& view) {
  const bool priced = view.objective == Objective::cost;
  Table table{.key = "candidates",
              .columns = candidate_columns(priced),
              .most_rows = view.most_shown,
              .most_everywhere = true};
  std::int64_t rank = 0;
  for (const Candidate& candidate : candidates) {
    table.rows.push_back(candidate_row(++rank, candidate, priced));
  }
  if (candidates.size() > view.most_shown) {
    table.rest =
        "and more that fit; --top " + std::to_string(2 * view.most_shown) + " shows as many again";
  }
  return table;
}

/// The strategies that are the same program as one shown, by its number.
Table also_table(std::span<const Candidate> candidates, const RankingView& view) {
  Table table{.title = "also as", .columns = {number_column({}, {}), label_column({})}};
  const std::size_t shown = std::min(candidates.size(), view.most_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    for (const Strategy& strategy : candidates[i].also) {
      table.rows.push_back(
          {{count(static_cast<std::int64_t>(i + 1)), words(strategy_text(strategy))}});
    }
  }
  return table;
}

/// Those that no other beats; what is printed in place of all candidates.
Table frontier_table(const RankingView& view) {
  Table table = candidate_table(*view.frontier, view);
  table.key = "frontier";
  table.title = "no other beats these in both time and memory";
  return table;
}

/// Reason by reason: how many, and the strategy that came nearest.
Table refused_table(const Ranking& ranking) {
  Table table{
      .key = "refused",
      .title = number_of(refused_count(ranking), "strategy does", "strategies do") +
               " not fit; for each reason the one that comes nearest",
      .columns = {number_column("count", "count"), left_out(text_column("constraint", "reason"), 1),
                  text_column("nearest", "nearest"), data_column("subject"), data_column("needed"),
                  data_column("available"), data_column("unit"), data_column("remedy"),
                  text_column("text", "why")}};
  for (const Refused& refused : ranking.refused) {
    const Infeasible& reason = refused.reason;
    table.rows.push_back({{count(refused.count), named(name_of(refused.constraint)),
                           words(strategy_text(refused.nearest)), words(reason.subject),
                           Cell{.value = reason.needed}, Cell{.value = reason.available},
                           words(reason.unit), words(reason.remedy), words(to_text(reason))}});
  }
  return table;
}

Table titled(Table table, std::string title) {
  table.title = std::move(title);
  return table;
}

/// The strategy that is broken down, and which stage of its pipeline.
std::string best_title(const Evaluation& best) {
  const std::string stage = breakdown_table(*best.fits()).title;
  return short_text(best.strategy) + (stage.empty() ? "" : ": ") + stage;
}

}  // namespace

Document ranking_report(const Subject& subject, const Ranking& ranking, const Evaluation* best,
                        const RankingView& view) {
  Document document{.schema = "oracle/ranking/1",
                    .headline = headline(subject, ranking, best, view),
                    .subject = subject_line(subject, ranking, view),
                    .main = "candidates"};
  auto& sections = document.sections;
  sections.emplace_back(setting_fields(subject, view.ranks, view.training));
  sections.emplace_back(count_fields(ranking, view));
  sections.emplace_back(candidate_table(ranking.candidates, view));
  if (view.frontier) {
    std::get<Table>(sections.back()).shown = false;
    document.main = "frontier";
    sections.emplace_back(frontier_table(view));
  } else {
    sections.emplace_back(also_table(ranking.candidates, view));
  }
  const Fits* fits = best ? best->fits() : nullptr;
  if (fits) {
    sections.emplace_back(titled(breakdown_table(*fits), best_title(*best)));
    sections.emplace_back(limit_fields(*fits));
    sections.emplace_back(evidence_table(*fits));
    sections.emplace_back(memory_table(fits->memory, subject.cluster, false));
    if (view.run) {
      sections.emplace_back(
          run_table(*view.run, fits->step, view.training.batch, view.ranks, subject.cluster));
    }
  }
  sections.emplace_back(refused_table(ranking));
  sections.emplace_back(assumption_notes(subject, best));
  return document;
}

}  // namespace oracle::report
