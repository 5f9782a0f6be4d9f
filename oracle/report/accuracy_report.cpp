#include "oracle/report/accuracy_report.h"

#include <algorithm>

#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::string_view set_of(bool fitted) { return fitted ? "fit" : "judge"; }

template <typename Take>
std::vector<Comparison> comparisons_of(std::span<const JudgedRun> runs, const Take& take) {
  std::vector<Comparison> comparisons;
  for (const JudgedRun& run : runs) {
    if (take(run)) comparisons.push_back(run.comparison);
  }
  return comparisons;
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

/// "data", "filter, channel or spatial": whether anything but samples is divided.
std::string kind_of(const std::string& strategy) {
  if (strategy.rfind("serial", 0) == 0) return "one device";
  return strategy.rfind("data:", 0) == 0 && strategy.find(',') == std::string::npos
             ? "data parallel"
             : "others";
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

Table run_table(std::span<const JudgedRun> runs, bool each) {
  Table table{
      .key = "runs",
      .title = "run by run",
      .columns = {text_column("model", "model"), left_out(text_column("cluster", "cluster"), 2),
                  text_column("strategy", "strategy"), left_out(number_column("batch", "batch"), 1),
                  data_column("precision"), number_column("measured", "measured", "s"),
                  number_column("predicted", "predicted", "s"),
                  number_column("error", "error", "1"), data_column("device"),
                  data_column("framework"), data_column("set"), data_column("source")},
      .shown = each};
  for (const JudgedRun& run : runs) {
    table.rows.push_back(
        {{words(run.model), words(run.cluster), words(run.strategy), count(run.batch),
          words(run.precision), time(run.comparison.measured), cost(run.comparison.predicted),
          signed_share(run.comparison.signed_error()), words(run.device), words(run.framework),
          words(set_of(run.fitted)), words(run.source)}});
  }
  return table;
}

}  // namespace

Cell signed_share(double fraction) {
  Cell cell = share(fraction < 0 ? -fraction : fraction);
  cell.text.insert(0, fraction < 0 ? "-" : "+");
  cell.value = fraction;
  return cell;
}

Document accuracy_report(std::span<const JudgedRun> runs, std::vector<std::string> left_out,
                         bool each) {
  const Accuracy all = judge(of_set(runs, false));
  Document document{.schema = "oracle/accuracy/1", .main = "runs"};
  document.headline = "median error " + percent(all.median) + " over " +
                      number_of(static_cast<std::int64_t>(all.count), "published run") +
                      ", none of them used to fit anything";
  document.subject = "signed error = (predicted - measured) / measured, of the step time";
  document.sections.emplace_back(summary_table(runs));
  using Run = const JudgedRun&;
  document.sections.emplace_back(
      table_by("strategy", runs, [](Run run) { return kind_of(run.strategy); }));
  document.sections.emplace_back(
      table_by("framework", runs, [](Run run) { return run.framework; }));
  document.sections.emplace_back(table_by("device", runs, [](Run run) { return run.device; }));
  document.sections.emplace_back(
      table_by("precision", runs, [](Run run) { return run.precision; }));
  document.sections.emplace_back(run_table(runs, each));
  if (!left_out.empty()) {
    document.sections.emplace_back(
        Notes{.key = "left_out", .title = "left out", .lines = std::move(left_out)});
  }
  return document;
}

}  // namespace oracle::report
