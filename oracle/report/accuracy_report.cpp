#include "oracle/report/accuracy_report.h"

#include <algorithm>

#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::vector<Comparison> comparisons_of(std::span<const JudgedRun> runs, const std::string& id) {
  std::vector<Comparison> comparisons;
  for (const JudgedRun& run : runs) {
    if (id.empty() || run.id == id) comparisons.push_back(run.comparison);
  }
  return comparisons;
}

std::vector<Cell> summary_cells(const std::string& name, const Accuracy& accuracy) {
  return {words(name),
          count(static_cast<std::int64_t>(accuracy.count)),
          share(accuracy.median),
          share(accuracy.p90),
          signed_share(accuracy.worst),
          signed_share(accuracy.bias),
          share(accuracy.coverage)};
}

Table summary_table(std::span<const JudgedRun> runs) {
  Table table{.key = "summary",
              .title = "by source",
              .columns = {text_column("source", "source"), number_column("runs", "runs"),
                          number_column("median", "median |error|", "1"),
                          left_out(number_column("p90", "p90", "1"), 2),
                          number_column("worst", "worst", "1"),
                          left_out(number_column("bias", "bias", "1"), 1),
                          number_column("coverage", "in interval", "1")}};
  std::vector<std::string> ids;
  for (const JudgedRun& run : runs) {
    if (std::find(ids.begin(), ids.end(), run.id) == ids.end()) ids.push_back(run.id);
  }
  for (const std::string& id : ids) {
    table.rows.push_back({summary_cells(id, judge(comparisons_of(runs, id)))});
  }
  table.rows.push_back({summary_cells("all", judge(comparisons_of(runs, "")))});
  return table;
}

Table run_table(std::span<const JudgedRun> runs) {
  Table table{
      .key = "runs",
      .title = "run by run",
      .columns = {text_column("model", "model"), left_out(text_column("cluster", "cluster"), 2),
                  text_column("strategy", "strategy"), left_out(number_column("batch", "batch"), 1),
                  data_column("precision"), number_column("measured", "measured", "s"),
                  number_column("predicted", "predicted", "s"),
                  number_column("error", "error", "1"), data_column("source")}};
  for (const JudgedRun& run : runs) {
    table.rows.push_back(
        {{words(run.model), words(run.cluster), words(run.strategy), count(run.batch),
          words(run.precision), time(run.comparison.measured), cost(run.comparison.predicted),
          signed_share(run.comparison.signed_error()), words(run.source)}});
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

Document accuracy_report(std::span<const JudgedRun> runs, std::vector<std::string> left_out) {
  const Accuracy all = judge(comparisons_of(runs, ""));
  Document document{.schema = "oracle/accuracy/1", .main = "runs"};
  document.headline = "median error " + percent(all.median) + " over " +
                      number_of(static_cast<std::int64_t>(all.count), "published run") +
                      ", none of them used to fit anything";
  document.subject = "signed error = (predicted - measured) / measured, of the step time";
  document.sections.emplace_back(summary_table(runs));
  document.sections.emplace_back(run_table(runs));
  if (!left_out.empty()) {
    document.sections.emplace_back(
        Notes{.key = "left_out", .title = "left out", .lines = std::move(left_out)});
  }
  return document;
}

}  // namespace oracle::report
