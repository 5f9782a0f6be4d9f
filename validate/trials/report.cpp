#include <algorithm>
#include <cmath>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"
#include "validate/trials/trials.h"

namespace oracle {
namespace {

using report::number_column;

std::string headline(const TrialsOutcome& outcome) {
  const Seconds predicted = outcome.predicted.mean.makespan;
  const double error = predicted / outcome.makespan - 1;
  return "search " + to_text(outcome.makespan) + " measured, " + to_text(predicted) +
         " predicted: " + (error < 0 ? "-" : "+") + report::percent(std::abs(error));
}

const EndedRun& best_of(const TrialsOutcome& outcome, std::int64_t rung) {
  const auto worse = [&](const EndedRun& a, const EndedRun& b) {
    return std::pair(a.run.rung == rung ? 0 : 1, a.loss) <
           std::pair(b.run.rung == rung ? 0 : 1, b.loss);
  };
  return *std::min_element(outcome.runs.begin(), outcome.runs.end(), worse);
}

report::Table rung_table(const TrialsRequest& request, const TrialsOutcome& outcome) {
  report::Table table{
      .key = "rungs",
      .columns = {number_column("rung", "rung"), number_column("steps", "to step"),
                  number_column("runs", "runs"), number_column("predicted_runs", "predicted"),
                  number_column("loss", "least loss"), number_column("rate", "at rate")}};
  for (std::int64_t r = 0; r < request.search.rungs; ++r) {
    const auto runs = std::count_if(outcome.runs.begin(), outcome.runs.end(),
                                    [&](const EndedRun& each) { return each.run.rung == r; });
    if (runs == 0) continue;
    const EndedRun& best = best_of(outcome, r);
    const double rate = rate_of(request, best.run.trial);
    table.rows.push_back(
        {{report::count(r + 1), report::count(step_at(request, part_at(request.search, r))),
          report::count(runs),
          report::count(outcome.predicted.mean.runs[static_cast<std::size_t>(r)]),
          report::Cell{.text = report::significant(best.loss), .value = best.loss},
          report::Cell{.text = report::significant(rate), .value = rate}}});
  }
  return table;
}

}  // namespace

report::Document trials_document(const TrialsRequest& request, const TrialsOutcome& outcome) {
  report::Document document{.schema = "oracle/trials_run/1",
                            .headline = headline(outcome),
                            .subject = request.subject,
                            .main = "rungs"};
  document.sections.emplace_back(rung_table(request, outcome));
  document.sections.emplace_back(report::Notes{
      .key = "notes",
      .title = "predicted from",
      .lines = {"a step of " + to_text(request.step.time) + " ± " +
                    report::percent(request.step.uncertainty) + ", one process at a time",
                to_text(outcome.start) + " each time a trial begins or goes on, measured"}});
  return document;
}

}  // namespace oracle
