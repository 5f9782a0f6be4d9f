#include "oracle/report/what_if.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// Less than this shows as nothing: of an elasticity, of a step.
constexpr double kLeastElasticity = 0.005;
constexpr double kLeastGain = 0.0005;

bool of_link(MachineFigure figure) {
  return figure == MachineFigure::link_bandwidth || figure == MachineFigure::link_latency;
}

bool less_is_better(MachineFigure figure) {
  return figure == MachineFigure::launch_overhead || figure == MachineFigure::host ||
         figure == MachineFigure::measured_kernels || figure == MachineFigure::link_latency;
}

/// "room/bandwidth", as descriptions call it, and "bandwidth of room (IB EDR)".
Cell figure_cell(const Elasticity& row, const Cluster& cluster) {
  Cell cell = named(name_of(row.figure));
  if (!of_link(row.figure)) return cell;
  const Level& level = cluster.levels.at(row.level);
  cell.name = level.name + "/" + cell.name;
  cell.text += " of " + level.name + " (" + level.uplink.name + ")";
  return cell;
}

/// "0.62 %", per 1 %.
Cell elasticity_cell(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", value);
  return {.text = text.data(), .value = value, .unit = {}};
}

/// "+4.0 %" for a step that is longer.
Cell difference_cell(double gain) {
  return {.text = (gain < 0   ? "+"
                   : gain > 0 ? "-"
                              : "") +
                  percent(std::abs(gain)),
          .value = -gain,
          .unit = "1"};
}

}  // namespace

Table elasticity_table(const Sensitivity& sensitivity, const Cluster& cluster) {
  Table table{.key = "elasticities",
              .title = "what 1 % better would gain",
              .columns = {text_column("figure", "figure"), text_column("direction", "better is"),
                          number_column("elasticity", "step shortens by")},
              .rows = {}};
  for (const Elasticity& row : sensitivity.elasticities) {
    table.rows.push_back(
        {{figure_cell(row, cluster), words(less_is_better(row.figure) ? "less" : "more"),
          elasticity_cell(row.value)},
         std::abs(row.value) >= kLeastElasticity});
  }
  table.rows.push_back({{words("all of these"), {}, elasticity_cell(sensitivity.sum)}});
  return table;
}

Table change_table(const Sensitivity& sensitivity) {
  Table table{.key = "changes",
              .title = "what one change would gain",
              .columns = {text_column("change", "change"), number_column("step_time", "step", "s"),
                          number_column("difference", "difference", "1")},
              .rows = {}};
  for (const Change& change : sensitivity.changes) {
    if (!change.step) {
      table.rows.push_back({{words(change.text), Cell{}, words("does not fit")}});
      continue;
    }
    table.rows.push_back({{words(change.text), time(*change.step), difference_cell(change.gain)},
                          std::abs(change.gain) >= kLeastGain});
  }
  return table;
}

}  // namespace oracle::report
