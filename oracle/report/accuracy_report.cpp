#include "oracle/report/accuracy_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "oracle/accuracy/choice.h"
#include "oracle/accuracy/scaling.h"
#include "oracle/base/statistics.h"
#include "oracle/report/paced_table.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

template <typename Take>
std::vector<Comparison> comparisons_of(std::span<const JudgedRun> runs, const Take& take) {
  std::vector<Comparison> comparisons;
  for (const JudgedRun& run : runs) {
    if (take(run)) comparisons.push_back(run.comparison);
  }
  return comparisons;
}

/// The comparisons of rows with the same key, in the order of the keys.
template <typename Judged, typename Key>
auto comparisons_by(std::span<const Judged> rows, const Key& key) {
  std::map<decltype(key(rows.front())), std::vector<Comparison>> found;
  for (const Judged& row : rows) found[key(row)].push_back(row.comparison);
  return found;
}

std::vector<Comparison> of_set(std::span<const JudgedRun> runs, bool fitted) {
  return comparisons_of(runs, [&](const JudgedRun& run) { return run.fitted == fitted; });
}

std::vector<Cell> accuracy_cells(const Accuracy& accuracy) {
  return {count(static_cast<std::int64_t>(accuracy.count)),
          share(accuracy.median),
          share(accuracy.p90),
          signed_share(accuracy.worst),
          signed_share(accuracy.bias),
          share(accuracy.coverage)};
}

std::vector<Column> accuracy_columns(std::vector<Column> first) {
  for (Column& column : std::vector<Column>{
           number_column("runs", "runs"), number_column("median", "median |error|", "1"),
           left_out(number_column("p90", "p90", "1"), 2), number_column("worst", "worst", "1"),
           left_out(number_column("bias", "bias", "1"), 1),
           number_column("coverage", "in interval", "1")}) {
    first.push_back(std::move(column));
  }
  return first;
}

Row accuracy_row(std::vector<Cell> first, std::span<const Comparison> comparisons) {
  for (Cell& cell : accuracy_cells(judge(comparisons))) first.push_back(std::move(cell));
  return {std::move(first)};
}

/// Each value of `what` once, in the order in which runs have them.
template <typename What>
std::vector<std::string> values_of(std::span<const JudgedRun> runs, const What& what) {
  std::vector<std::string> values;
  for (const JudgedRun& run : runs) {
    const std::string value = what(run);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

Table summary_table(std::span<const JudgedRun> runs) {
  Table table{
      .key = "summary",
      .title = "by source",
      .columns = accuracy_columns({text_column("source", "source"), text_column("set", "set")})};
  for (const std::string& id : values_of(runs, [](const JudgedRun& run) { return run.id; })) {
    const auto first =
        std::find_if(runs.begin(), runs.end(), [&](const JudgedRun& run) { return run.id == id; });
    table.rows.push_back(
        accuracy_row({words(id), words(set_of(first->fitted))},
                     comparisons_of(runs, [&](const JudgedRun& run) { return run.id == id; })));
  }
  for (const bool fitted : {true, false}) {
    const auto all = of_set(runs, fitted);
    if (!all.empty()) {
      table.rows.push_back(accuracy_row({words("all"), words(set_of(fitted))}, all));
    }
  }
  return table;
}

/// Runs that judge, by one thing that they have in common.
template <typename What>
Table table_by(std::string_view name, std::span<const JudgedRun> runs, const What& what) {
  Table table{.key = "by_" + std::string(name),
              .title = "by " + std::string(name) + ", of those that judge",
              .columns = accuracy_columns({text_column(std::string(name), std::string(name))})};
  for (const std::string& value : values_of(runs, what)) {
    const auto own = comparisons_of(
        runs, [&](const JudgedRun& run) { return !run.fitted && what(run) == value; });
    if (!own.empty()) table.rows.push_back(accuracy_row({words(value)}, own));
  }
  return table;
}

/// Mean of 1 - |error|, as projections are judged by.
double mean_accuracy(std::span<const Comparison> comparisons) {
  double sum = 0;
  for (const Comparison& comparison : comparisons) {
    sum += 1 - std::min(1.0, std::abs(comparison.signed_error()));
  }
  return sum / static_cast<double>(std::max<std::size_t>(comparisons.size(), 1));
}

/// Next to the predictions that the sources published themselves.
Table projection_table(const AccuracyStudy& study) {
  Table table{.key = "projections",
              .title = "mean accuracy, 1 - |error|, next to the source's own projection",
              .columns = {text_column("source", "source"), text_column("strategy", "strategy"),
                          number_column("runs", "runs"), number_column("ours", "ours", "1"),
                          number_column("theirs", "theirs", "1")}};
  for (const Projection& projection : study.projections) {
    const auto own = comparisons_of(study.runs, [&](const JudgedRun& run) {
      return run.id == projection.id && run.what.kind == projection.kind;
    });
    if (own.empty()) continue;
    table.rows.push_back({{words(projection.id), words(projection.kind),
                           count(static_cast<std::int64_t>(own.size())), share(mean_accuracy(own)),
                           share(projection.accuracy)}});
  }
  return table;
}

/// Messages by size, as their terms differ: latency, both, bandwidth.
struct MessageSizes {
  const char* name;
  double most;  ///< bytes
};
constexpr std::array<MessageSizes, 3> kMessageSizes = {
    {{"to 64 KiB", 0x1p16}, {"to 64 MiB", 0x1p26}, {"above 64 MiB", HUGE_VAL}}};

/// Which of them a message has.
std::size_t size_of(Bytes message) {
  const auto* const sizes =
      std::find_if(kMessageSizes.begin(), kMessageSizes.end(),
                   [&](const MessageSizes& row) { return message.value <= row.most; });
  return static_cast<std::size_t>(sizes - kMessageSizes.begin());
}

/// What nine in ten keep to: |measured / predicted - 1|.
double half_width(std::span<const Comparison> comparisons) {
  std::vector<double> errors;
  for (const Comparison& comparison : comparisons) {
    errors.push_back(std::abs(comparison.measured / comparison.predicted.time - 1));
  }
  return quantile(errors, 0.9);
}

Table collective_table(const AccuracyStudy& study) {
  Table table{.key = "collectives",
              .title = "all-reduces, by link and size",
              .columns = accuracy_columns(
                  {text_column("link", "link"), text_column("joins", "joins"),
                   text_column("messages", "messages"), text_column("set", "set")})};
  table.columns.push_back(data_column("half_width", "1"));
  const auto key = [](const JudgedCollective& one) {
    return std::tuple(one.fitted, one.joins, one.link, size_of(one.message));
  };
  for (const auto& [each, own] :
       comparisons_by(std::span<const JudgedCollective>(study.collectives), key)) {
    const auto& [fitted, joins, link, size] = each;
    table.rows.push_back(accuracy_row(
        {words(link), words(joins), words(kMessageSizes[size].name), words(set_of(fitted))}, own));
    table.rows.back().cells.push_back(share(half_width(own)));
  }
  return table;
}

/// Columns of errors that have no interval.
std::vector<Column> error_columns(std::vector<Column> first) {
  for (Column& column : std::vector<Column>{
           number_column("count", "count"), number_column("median", "median |error|", "1"),
           left_out(number_column("p90", "p90", "1"), 1), number_column("bias", "bias", "1")}) {
    first.push_back(std::move(column));
  }
  return first;
}

Row error_row(std::vector<Cell> first, std::span<const double> errors) {
  const Accuracy accuracy = judge_errors(errors);
  for (Cell& cell :
       std::vector<Cell>{count(static_cast<std::int64_t>(accuracy.count)), share(accuracy.median),
                         share(accuracy.p90), signed_share(accuracy.bias)}) {
    first.push_back(std::move(cell));
  }
  return {std::move(first)};
}

Table kernel_table(const AccuracyStudy& study, bool shown) {
  Table table{
      .key = "kernels",
      .title = "kernels repeated alone, by device",
      .columns = error_columns({text_column("device", "device"), text_column("precision", "format"),
                                text_column("set", "set"), text_column("kernel", "kernel")}),
      .shown = shown};
  const auto key = [](const JudgedKernel& one) {
    return std::tuple(one.fitted, one.device, one.precision, one.kind);
  };
  std::map<std::tuple<bool, std::string, std::string, std::string>, std::vector<double>> errors;
  for (const JudgedKernel& one : study.kernels) errors[key(one)].push_back(one.signed_error);
  for (const auto& [each, own] : errors) {
    const auto& [fitted, device, precision, kind] = each;
    table.rows.push_back(
        error_row({words(device), words(precision), words(set_of(fitted)), words(kind)}, own));
  }
  return table;
}

Table judged_memory_table(std::span<const JudgedMemory> memories) {
  Table table{
      .key = "memory",
      .title = "memory of a rank, by source",
      .columns = error_columns({text_column("source", "source"), text_column("set", "set")})};
  std::map<std::string, std::pair<bool, std::vector<double>>> by_source;
  std::vector<double> judged;
  for (const JudgedMemory& one : memories) {
    auto& [fitted, errors] = by_source[one.id];
    fitted = one.fitted;
    errors.push_back(one.signed_error);
    if (!one.fitted) judged.push_back(one.signed_error);
  }
  for (const auto& [id, own] : by_source) {
    table.rows.push_back(error_row({words(id), words(set_of(own.first))}, own.second));
  }
  table.rows.push_back(error_row({words("all"), words(set_of(false))}, judged));
  return table;
}

/// A series beside one of its runs, which says whose it is.
struct JudgedScaling {
  Scaling scaling;
  const JudgedRun* run = nullptr;
};

std::vector<JudgedScaling> judged_scaling(std::span<const JudgedRun> runs) {
  std::vector<ScaledRun> scaled;
  std::map<std::string, const JudgedRun*> largest;
  for (const JudgedRun& run : runs) {
    if (run.series.empty()) continue;
    const std::string series = run.id + " " + run.series;
    scaled.push_back({series, run.ranks, run.comparison.predicted.time, run.comparison.measured});
    const JudgedRun*& known = largest[series];
    if (known == nullptr || known->ranks < run.ranks) known = &run;
  }
  std::vector<JudgedScaling> judged;
  for (Scaling& one : scaling_of(scaled)) {
    const JudgedRun* run = largest[one.series];
    judged.push_back({std::move(one), run});
  }
  return judged;
}

/// Of data parallelism. Errors are differences of two efficiencies.
Table scaling_table(std::span<const JudgedScaling> series) {
  Table table{.key = "scaling",
              .title = "efficiency of data parallelism on the most ranks, predicted - measured",
              .columns = error_columns({text_column("scale", "scale"), text_column("set", "set")})};
  std::map<std::pair<bool, std::string>, std::vector<double>> errors;
  for (const auto& [scaling, run] : series) {
    for (const std::string& scale : {run->what.scale, std::string("any")}) {
      errors[{run->fitted, scale}].push_back(scaling.error());
    }
  }
  for (const auto& [key, own] : errors) {
    table.rows.push_back(error_row({words(key.second), words(set_of(key.first))}, own));
  }
  return table;
}

Table series_table(std::span<const JudgedScaling> series, bool each) {
  Table table{.key = "series",
              .title = "efficiency series by series: data parallelism",
              .columns = {text_column("model", "model"), text_column("device", "device"),
                          left_out(text_column("strategy", "strategy"), 1),
                          number_column("fewest", "ranks"), number_column("most", "to"),
                          number_column("measured", "measured", "1"),
                          number_column("predicted", "predicted", "1"), data_column("precision"),
                          data_column("framework"), data_column("set"), data_column("source")},
              .shown = each};
  for (const auto& [scaling, run] : series) {
    table.rows.push_back({{words(run->model), words(run->device), words(run->strategy),
                           count(scaling.fewest), count(scaling.most), share(scaling.measured),
                           share(scaling.predicted), words(run->precision), words(run->framework),
                           words(set_of(run->fitted)), words(run->source)}});
  }
  return table;
}

/// A choice beside one of its runs, which says where it was.
struct JudgedChoice {
  StrategyChoice choice;
  const JudgedRun* run = nullptr;
};

std::vector<JudgedChoice> judged_choices(std::span<const JudgedRun> runs) {
  std::vector<ChosenRun> chosen;
  std::map<std::string, const JudgedRun*> first;
  for (const JudgedRun& run : runs) {
    if (run.setting.empty()) continue;
    const std::string setting = run.id + " " + run.setting;
    chosen.push_back(
        {setting, run.strategy, run.comparison.predicted.time, run.comparison.measured});
    first.emplace(setting, &run);
  }
  std::vector<JudgedChoice> judged;
  for (StrategyChoice& one : choices_of(chosen)) {
    const JudgedRun* run = first[one.setting];
    judged.push_back({std::move(one), run});
  }
  return judged;
}

/// Of choices together.
struct ChoiceSum {
  std::vector<double> losses, spreads;
  std::size_t right = 0, pairs = 0, in_order = 0;

  void add(const StrategyChoice& choice) {
    losses.push_back(choice.loss);
    spreads.push_back(choice.spread);
    right += choice.predicted_best == choice.measured_best ? 1 : 0;
    pairs += choice.pairs;
    in_order += choice.in_order;
  }
};

Table choice_table(std::span<const JudgedChoice> choices) {
  Table table{.key = "choices",
              .title = "how much slower than the fastest measured was the strategy predicted so?",
              .columns = {text_column("framework", "framework"), text_column("set", "set"),
                          number_column("choices", "choices"), number_column("right", "right"),
                          number_column("mean", "mean", "1"), number_column("p90", "p90", "1"),
                          left_out(number_column("spread", "slowest", "1"), 1),
                          number_column("pairs", "pairs"), number_column("in_order", "in order")}};
  std::map<std::pair<bool, std::string>, ChoiceSum> sums;
  for (const auto& [choice, run] : choices) {
    for (const std::string& framework : {run->framework, std::string("any")}) {
      sums[{run->fitted, framework}].add(choice);
    }
  }
  for (const auto& [key, sum] : sums) {
    const Accuracy lost = judge_errors(sum.losses);
    table.rows.push_back(
        {{words(key.second), words(set_of(key.first)), count(static_cast<std::int64_t>(lost.count)),
          count(static_cast<std::int64_t>(sum.right)), share(lost.bias), share(lost.p90),
          share(median(sum.spreads)), count(static_cast<std::int64_t>(sum.pairs)),
          count(static_cast<std::int64_t>(sum.in_order))}});
  }
  return table;
}

Table each_choice_table(std::span<const JudgedChoice> choices, bool each) {
  Table table{
      .key = "each_choice",
      .title = "choice by choice",
      .columns = {text_column("model", "model"), left_out(text_column("cluster", "cluster"), 2),
                  left_out(number_column("batch", "batch"), 1), number_column("strategies", "of"),
                  number_column("loss", "loss", "1"), number_column("spread", "spread", "1"),
                  text_column("predicted", "predicted fastest"), data_column("measured"),
                  data_column("set"), data_column("source")},
      .shown = each};
  for (const auto& [choice, run] : choices) {
    table.rows.push_back(
        {{words(run->model), words(run->cluster), count(run->batch),
          count(static_cast<std::int64_t>(choice.strategies)), share(choice.loss),
          share(choice.spread), words(choice.predicted_best), words(choice.measured_best),
          words(set_of(run->fitted)), words(run->source)}});
  }
  return table;
}

/// For programs: runs of each class and set, from which half-widths are fitted and
/// data/accuracy.json is made.
Table class_table(std::span<const JudgedRun> runs) {
  Table table{.key = "classes",
              .title = "by class",
              .columns = accuracy_columns(
                  {text_column("kind", "kind"), text_column("generation", "generation"),
                   text_column("precision", "precision"), text_column("set", "set")}),
              .shown = false};
  const auto key = [](const JudgedRun& run) {
    return std::tuple(run.what.kind, run.what.generation, run.what.precision, run.fitted);
  };
  for (const auto& [each, own] : comparisons_by(runs, key)) {
    const auto& [kind, generation, precision, fitted] = each;
    table.rows.push_back(accuracy_row(
        {words(kind), words(generation), words(precision), words(set_of(fitted))}, own));
  }
  return table;
}

Table run_table(std::span<const JudgedRun> runs, bool each) {
  Table table{
      .key = "runs",
      .title = "run by run",
      .columns = {text_column("model", "model"), left_out(text_column("cluster", "cluster"), 2),
                  text_column("strategy", "strategy"), left_out(number_column("batch", "batch"), 1),
                  data_column("precision"), number_column("measured", "measured", "s"),
                  number_column("predicted", "predicted", "s"),
                  number_column("error", "error", "1"), data_column("device"),
                  data_column("framework"), data_column("kind"), data_column("scale"),
                  data_column("generation"), data_column("set"), data_column("source")},
      .shown = each};
  for (const JudgedRun& run : runs) {
    table.rows.push_back(
        {{words(run.model), words(run.cluster), words(run.strategy), count(run.batch),
          words(run.precision), time(run.comparison.measured), cost(run.comparison.predicted),
          signed_share(run.comparison.signed_error()), words(run.device), words(run.framework),
          words(run.what.kind), words(run.what.scale), words(run.what.generation),
          words(set_of(run.fitted)), words(run.source)}});
  }
  return table;
}

std::vector<std::string> refused_lines(const std::vector<std::string>& refused, bool each) {
  if (each) return refused;
  return {number_of(static_cast<std::int64_t>(refused.size()), "run") + "; --runs lists them"};
}

}  // namespace

std::string_view set_of(bool fitted) { return fitted ? "fit" : "judge"; }

Cell signed_share(double fraction) {
  Cell cell = share(fraction < 0 ? -fraction : fraction);
  cell.text.insert(0, fraction < 0 ? "-" : "+");
  cell.value = fraction;
  return cell;
}

Document accuracy_report(const AccuracyStudy& study, const AccuracyView& view) {
  const std::span<const JudgedRun> runs = study.runs;
  const Accuracy all = judge(of_set(runs, false));
  Document document{.schema = "oracle/accuracy/1", .main = "runs"};
  document.headline = "median error " + percent(all.median) + " over " +
                      number_of(static_cast<std::int64_t>(all.count), "published run") +
                      ", none of them used to fit anything";
  document.subject = "signed error = (predicted - measured) / measured, of the step time";
  document.sections.emplace_back(summary_table(runs));
  using Run = const JudgedRun&;
  document.sections.emplace_back(table_by("strategy", runs, [](Run run) { return run.what.kind; }));
  document.sections.emplace_back(table_by("scale", runs, [](Run run) { return run.what.scale; }));
  document.sections.emplace_back(
      table_by("framework", runs, [](Run run) { return run.framework; }));
  document.sections.emplace_back(table_by("device", runs, [](Run run) { return run.device; }));
  document.sections.emplace_back(
      table_by("precision", runs, [](Run run) { return run.precision; }));
  if (!study.paced.empty()) document.sections.emplace_back(paced_table(study.paced));
  if (!study.memories.empty()) document.sections.emplace_back(judged_memory_table(study.memories));
  if (!study.projections.empty()) document.sections.emplace_back(projection_table(study));
  if (!study.collectives.empty()) document.sections.emplace_back(collective_table(study));
  if (!study.kernels.empty()) document.sections.emplace_back(kernel_table(study, view.kernels));
  if (const auto series = judged_scaling(runs); !series.empty()) {
    document.sections.emplace_back(scaling_table(series));
    document.sections.emplace_back(series_table(series, view.runs));
  }
  if (const auto choices = judged_choices(runs); !choices.empty()) {
    document.sections.emplace_back(choice_table(choices));
    document.sections.emplace_back(each_choice_table(choices, view.runs));
  }
  document.sections.emplace_back(class_table(runs));
  document.sections.emplace_back(run_table(runs, view.runs));
  if (!study.refused.empty()) {
    document.sections.emplace_back(
        Notes{.key = "refused",
              .title = "said not to fit, and timed as if memory sufficed",
              .lines = refused_lines(study.refused, view.runs)});
  }
  return document;
}

}  // namespace oracle::report
