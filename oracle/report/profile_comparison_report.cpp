#include "oracle/report/profile_comparison_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/report/accuracy_report.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// What is shown as "< 0.1 %" or "0 %" has no sign.
constexpr double kLeastSigned = 0.0005;

std::int64_t whole(std::size_t number) { return static_cast<std::int64_t>(number); }

Cell ratio(double value) {
  Cell cell;
  cell.text = significant(value);
  cell.value = value;
  cell.unit = "1";
  return cell;
}

Cell cell_in(ParameterUnit unit, double value) {
  switch (unit) {
    case ParameterUnit::seconds:
      return time(Seconds{value});
    case ParameterUnit::bytes_per_second:
      return bandwidth(Bandwidth{value});
    case ParameterUnit::flops_per_second:
      return rate(FlopRate{value});
    case ParameterUnit::ratio:
      break;
  }
  return ratio(value);
}

Cell value_cell(ParameterUnit unit, const std::optional<ParameterValue>& value) {
  if (!value) return {};
  Cell cell = cell_in(unit, value->value);
  cell.source = value->source;
  cell.uncertainty = value->uncertainty;
  return cell;
}

/// Half-width of a side's interval, for programs and people alike.
Cell uncertainty_cell(const std::optional<ParameterValue>& value) {
  return value && value->uncertainty > 0 ? share(value->uncertainty) : Cell{};
}

Cell difference_cell(const ComparedParameter& pair) {
  const std::optional<double> difference = pair.difference();
  if (!difference) return {};
  Cell cell = signed_share(*difference);
  if (std::abs(*difference) < kLeastSigned) cell.text = percent(std::abs(*difference));
  return cell;
}

std::vector<Cell> figure_cells(const ComparedParameter& pair) {
  return {value_cell(pair.key.unit, pair.baseline),
          uncertainty_cell(pair.baseline),
          value_cell(pair.key.unit, pair.contender),
          uncertainty_cell(pair.contender),
          difference_cell(pair),
          words(name_of(pair.verdict)),
          words(cell_in(pair.key.unit, 1).unit)};
}

void append_figure_columns(Table& table) {
  for (Column column :
       {number_column("baseline", "baseline"), number_column("baseline_uncertainty", "±", "1"),
        number_column("contender", "contender"), number_column("contender_uncertainty", "±", "1"),
        number_column("difference", "difference", "1"), text_column("verdict", "verdict"),
        data_column("unit")}) {
    table.columns.push_back(std::move(column));
  }
}

Row row_of(std::vector<Cell> cells, const ComparedParameter& pair) {
  for (Cell& cell : figure_cells(pair)) cells.push_back(std::move(cell));
  return {std::move(cells), pair.verdict != Verdict::equal};
}

/// Where a figure stands in the list: what has no distance but both sides comes first.
double rank_of(const ComparedParameter& pair) {
  if (pair.verdict == Verdict::missing) return -1;
  return pair.distance().value_or(std::numeric_limits<double>::infinity());
}

Table parameter_table(const ProfileComparison& comparison, std::size_t most_shown) {
  Table table{.key = "parameters",
              .title = "figures that are not equal, largest difference first",
              .columns = {text_column("kind", "kind"), text_column("parameter", "figure"),
                          text_column("at", "of")},
              .most_rows = most_shown,
              .rest = "all of them: --format csv"};
  append_figure_columns(table);
  std::vector<const ComparedParameter*> order;
  for (const ComparedParameter& pair : comparison.parameters) order.push_back(&pair);
  std::stable_sort(order.begin(), order.end(),
                   [](const ComparedParameter* a, const ComparedParameter* b) {
                     return rank_of(*a) > rank_of(*b);
                   });
  for (const ComparedParameter* pair : order) {
    table.rows.push_back(row_of(
        {words(name_of(pair->key.kind)), named(pair->key.name), words(pair->key.at)}, *pair));
  }
  return table;
}

Table family_table(const ProfileComparison& comparison) {
  Table table{.key = "families",
              .title = "what families of kernels achieve, over the shapes that both know",
              .columns = {text_column("family", "kernels"), number_column("shapes", "shapes")}};
  append_figure_columns(table);
  for (const ComparedFamily& family : comparison.families) {
    Row row = row_of({named(family.rate.key.name), count(whole(family.shapes))}, family.rate);
    row.shown = true;
    table.rows.push_back(std::move(row));
  }
  return table;
}

Row summary_row(std::string_view name, const ComparisonSummary& summary) {
  Row row{{words(name), count(whole(summary.compared))}};
  const bool some = summary.compared > 0;
  row.cells.push_back(some ? share(summary.median) : Cell{});
  row.cells.push_back(some ? share(summary.p90) : Cell{});
  row.cells.push_back(some ? signed_share(summary.worst) : Cell{});
  for (const std::size_t number : summary.verdicts) row.cells.push_back(count(whole(number)));
  row.cells.push_back(words(name_of(summary.verdict)));
  return row;
}

Table summary_table(const ProfileComparison& comparison) {
  Table table{.key = "kinds",
              .title = "|difference| by kind",
              .columns = {text_column("kind", "kind"), number_column("compared", "figures"),
                          number_column("median", "median", "1"), number_column("p90", "p90", "1"),
                          number_column("worst", "worst", "1")}};
  for (std::size_t v = 0; v < kVerdictCount; ++v) {
    const std::string name(name_of(static_cast<Verdict>(v)));
    table.columns.push_back(left_out(number_column(name, name), 1));
  }
  table.columns.push_back(text_column("verdict", "verdict"));
  for (std::size_t k = 0; k < kParameterKindCount; ++k) {
    const auto kind = static_cast<ParameterKind>(k);
    std::vector<ComparedParameter> of_kind;
    for (const ComparedParameter& pair : comparison.parameters) {
      if (pair.key.kind == kind) of_kind.push_back(pair);
    }
    if (of_kind.empty()) continue;
    table.rows.push_back(summary_row(name_of(kind), summarize(of_kind, comparison.bar)));
  }
  table.rows.push_back(summary_row("all", comparison.whole));
  return table;
}

std::string headline_of(const ProfileComparison& comparison) {
  const ComparisonSummary& whole_of = comparison.whole;
  if (whole_of.compared == 0) return "missing: the two profiles have no figure in common";
  std::string text(name_of(whole_of.verdict));
  text += ": " + number_of(whole(whole_of.compared), "figure") + " differ by " +
          percent(whole_of.median) + " in the median, ";
  text += whole_of.median <= comparison.bar ? "within the threshold of " : "past the threshold of ";
  return text + percent(comparison.bar);
}

Fields whole_fields(const ProfileComparison& comparison, const ComparedFiles& files) {
  const ComparisonSummary& all = comparison.whole;
  return {.key = "",
          .rows = {{"baseline", "", words(files.baseline)},
                   {"contender", "", words(files.contender)},
                   {"threshold", "", share(comparison.bar)},
                   {"verdict", "", words(name_of(all.verdict))},
                   {"compared", "", count(whole(all.compared))},
                   {"median_difference", "", share(all.median)}},
          .shown = false};
}

}  // namespace

Document profile_comparison_report(const ProfileComparison& comparison, const ComparedFiles& files,
                                   std::size_t most_shown) {
  Document document{.schema = "oracle/profile-comparison/1", .main = "parameters"};
  document.headline = headline_of(comparison);
  document.subject = files.contender + " (contender) compared with " + files.baseline +
                     " (baseline); difference = contender / baseline - 1";
  document.sections.emplace_back(whole_fields(comparison, files));
  document.sections.emplace_back(summary_table(comparison));
  if (!comparison.families.empty()) document.sections.emplace_back(family_table(comparison));
  document.sections.emplace_back(parameter_table(comparison, most_shown));
  if (!comparison.notes.empty()) {
    document.sections.emplace_back(
        Notes{"described_otherwise", "described otherwise", comparison.notes});
  }
  return document;
}

}  // namespace oracle::report
