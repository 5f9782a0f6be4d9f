#include "oracle/report/budget_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "oracle/base/quantity_text.h"
#include "oracle/report/budget_notes.h"
#include "oracle/report/run_section.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// "fastest", and of cost what an hour without a price leaves of it.
std::string best_word(BudgetObjective objective, const BudgetRequest& request) {
  constexpr std::array<std::string_view, kBudgetObjectiveCount> kWords = {"fastest", "cheapest",
                                                                          "least energy"};
  const bool hours = objective == BudgetObjective::cost && request.rates.price == 0;
  return hours ? "least hours" : std::string(kWords[static_cast<std::size_t>(objective)]);
}

std::string device_word(const Cluster& cluster) {
  return rank_word(cluster) == "GPU" ? "GPU" : "device";
}

Cell dollars(const std::optional<double>& amount) {
  if (!amount) return {};
  return {.text = money(*amount), .value = *amount, .unit = "USD"};
}

Cell energy(const RunCost& run) {
  if (!run.kilowatt_hours) return {};
  return {.text = significant(*run.kilowatt_hours), .value = *run.kilowatt_hours, .unit = "kWh"};
}

Cell device_hours(const RunCost& run) {
  return {.text = significant(run.device_hours), .value = run.device_hours, .unit = "h"};
}

Cell goodput_cell(const std::optional<Checkpointing>& checkpoints) {
  if (!checkpoints) return {};
  const double share = checkpoints->goodput;
  return {.text = goodput_text(share), .value = share, .unit = "1"};
}

Cell whole_time(const RunCost& run) {
  Cell cell = cost(run.time);
  cell.text = run_time(run.time.time);
  return cell;
}

/// A "~" says that the batch lies outside those published.
Cell data_cell(const DataToTarget& data, bool epochs) {
  Cell cell{.value = data.amount};
  cell.text =
      (data.extrapolated ? "~" : "") +
      (epochs || data.amount < 1e4 ? significant(data.amount) : grouped(std::llround(data.amount)));
  return cell;
}

const BudgetRun* answer_of(const BudgetStudy& study, const BudgetRequest& request) {
  return study.best_for(request.objective);
}

std::string run_sentence(const BudgetRun& run, const Cluster& cluster) {
  const RunCost& cost = run.cost;
  std::string text = ranks_phrase(run.ranks, cluster) + ", batch " + grouped(run.batch) + "   " +
                     run_time(cost.time.time) + " ± " + percent(cost.time.uncertainty) + "   " +
                     significant(cost.device_hours) + " " + device_word(cluster) + "-hours";
  if (cost.dollars) text += "   " + dollars(cost.dollars).text;
  if (cost.kilowatt_hours) text += "   " + significant(*cost.kilowatt_hours) + " kWh";
  return text;
}

std::string limits_phrase(const BudgetRequest& request) {
  std::string text;
  if (request.deadline) text = run_time(*request.deadline);
  if (request.purse) text += (text.empty() ? "" : " and ") + dollars(request.purse).text;
  return text;
}

std::string headline(const Subject& subject, const BudgetStudy& study,
                     const BudgetRequest& request) {
  const BudgetRun* best = answer_of(study, request);
  if (best == nullptr) return "nothing fits at any of these counts";
  const std::string limits = limits_phrase(request);
  const std::string run = run_sentence(*best, subject.cluster);
  if (!best->allowed) return "nothing keeps to " + limits + "; the nearest is " + run;
  return best_word(request.objective, request) + (limits.empty() ? "" : " within " + limits) +
         ": " + run;
}

std::string target_phrase(const BudgetRequest& request, const BudgetView& view) {
  if (view.convergence != nullptr) {
    return "to " + view.convergence->target + " " + view.convergence->metric + " (" +
           view.convergence->dataset + ")";
  }
  const auto* law = std::get_if<ConvergenceLaw>(&request.length.amount);
  const auto amount = std::llround(law ? law->least : std::get<double>(request.length.amount));
  const std::string more = law ? ", and more by batch" : "";
  if (!request.length.counts_epochs()) return "for " + number_of(amount, "sample") + more;
  return "for " + number_of(amount, "epoch") + " of " +
         number_of(request.length.epoch_samples, "sample") + more;
}

std::string batch_word(const Subject& subject, const BudgetRequest& request) {
  if (request.batch) return "batch " + grouped(*request.batch);
  if (request.batch_per_rank) {
    return "batch " + grouped(*request.batch_per_rank) + " per " + rank_word(subject.cluster);
  }
  return "the best batch for " + std::string(name_of(request.objective));
}

std::string subject_line(const Subject& subject, const BudgetRequest& request,
                         const BudgetView& view) {
  return subject.graph.name + " on " + subject.cluster.id + " " + target_phrase(request, view) +
         ", " + to_text(request.strategy) + ", " + batch_word(subject, request) + ", " +
         training_phrase(request.training);
}

Fields setting(const Subject& subject, const BudgetRequest& request, const BudgetView& view) {
  const Convergence* convergence = view.convergence;
  const std::string data =
      view.data_set ? view.data_set->id : (convergence ? convergence->dataset : "");
  return {.rows = {{"model", {}, words(subject.graph.name)},
                   {"cluster", {}, words(subject.cluster.id)},
                   {"strategy", {}, words(to_text(request.strategy))},
                   {"precision", {}, words(request.training.precision.name)},
                   {"optimizer", {}, words(request.training.optimizer.name)},
                   {"objective", {}, words(name_of(request.objective))},
                   {"dataset", {}, data.empty() ? Cell{} : words(data)},
                   {"target", {}, convergence ? words(convergence->target) : Cell{}},
                   {"metric", {}, convergence ? words(convergence->metric) : Cell{}},
                   {"pue", {}, Cell{.value = request.rates.pue}}},
          .shown = false};
}

std::string note_of(const BudgetRun& run, const BudgetRequest& request) {
  if (!run.fits()) return "does not fit";
  if (run.allowed) return {};
  const bool late = request.deadline && run.cost.time.time > *request.deadline;
  return late ? "past the deadline" : "over the purse";
}

Row run_row(const BudgetRun& run, Cell lead, const BudgetRequest& request) {
  const std::string note = note_of(run, request);
  const Fits* fits = run.evaluation.fits();
  if (fits == nullptr) {
    return {{std::move(lead), count(run.ranks), count(run.batch), Cell{}, Cell{}, Cell{}, Cell{},
             Cell{}, Cell{}, Cell{}, Cell{}, Cell{}, Cell{}, words(note),
             words(to_text(*run.evaluation.infeasible())), Cell{}, Cell{}}};
  }
  const RunCost& cost = run.cost;
  Cell energy_share = cost.kilowatt_hours ? share(cost.energy_uncertainty) : Cell{};
  return {{std::move(lead), count(run.ranks), count(run.batch),
           data_cell(run.data, request.length.counts_epochs()), count(cost.steps),
           report::cost(fits->step), whole_time(cost), share(cost.time.uncertainty),
           device_hours(cost), dollars(cost.dollars), energy(cost), std::move(energy_share),
           goodput_cell(run.checkpoints), words(note), Cell{},
           run.checkpoints ? count(run.checkpoints->every) : Cell{},
           run.input ? report::cost(run.input->exposed) : Cell{}}};
}

/// Columns of a table of runs, after the one that says which a row is.
std::vector<Column> run_columns(const Subject& subject, const BudgetRequest& request, bool notes) {
  const bool epochs = request.length.counts_epochs();
  const bool priced = request.rates.price > 0, powered = request.rates.board_power > 0;
  const std::string data(name_of(epochs ? DataUnit::epochs : DataUnit::samples));
  std::vector<Column> columns = {
      number_column("ranks", rank_word(subject.cluster) + "s"),
      number_column("batch", "batch"),
      number_column(data, data),
      data_column("steps"),
      left_out(number_column("step_time", "step", "s"), 1),
      number_column("time", "time", "s"),
      number_column("uncertainty", "±", "1"),
      left_out(number_column("device_hours", device_word(subject.cluster) + "-hours", "h"), 4),
      priced ? number_column("cost", "cost", "USD") : data_column("cost", "USD"),
      powered ? left_out(number_column("energy", "kWh", "kWh"), 5) : data_column("energy", "kWh"),
      powered ? left_out(number_column("energy_uncertainty", "±", "1"), 2)
              : data_column("energy_uncertainty", "1"),
      request.failures ? left_out(number_column("goodput", "goodput", "1"), 3)
                       : data_column("goodput", "1"),
      notes ? text_column("note", "") : data_column("note"),
      data_column("refusal"),
      data_column("checkpoint_every"),
      request.storage ? left_out(number_column("exposed_input", "waits", "s"), 3)
                      : data_column("exposed_input", "s")};
  return columns;
}

Table best_table(const Subject& subject, const BudgetStudy& study, const BudgetRequest& request) {
  std::vector<Column> columns = run_columns(subject, request, false);
  columns.insert(columns.begin(), text_column("best", ""));
  Table table{.key = "best",
              .title = "best of " + number_of(study.tried, "run"),
              .columns = std::move(columns),
              .shown = study.tried > 1};
  const BudgetRun* answer = answer_of(study, request);
  if (answer != nullptr && !answer->allowed) {
    table.rows.push_back(run_row(*answer, words("nearest"), request));
    return table;
  }
  for (std::size_t o = 0; o < kBudgetObjectiveCount; ++o) {
    const auto objective = static_cast<BudgetObjective>(o);
    const BudgetRun* run = study.best_for(objective);
    if (run == nullptr) continue;
    if (objective == BudgetObjective::energy && !run->cost.kilowatt_hours) continue;
    Cell lead{.text = best_word(objective, request), .name = std::string(name_of(objective))};
    table.rows.push_back(run_row(*run, std::move(lead), request));
  }
  return table;
}

Table point_table(const Subject& subject, const BudgetStudy& study, const BudgetRequest& request) {
  const bool notes = std::any_of(study.points.begin(), study.points.end(),
                                 [](const BudgetRun& run) { return !run.allowed; });
  Table table{.key = "points",
              .title = "each count, " + batch_word(subject, request),
              .columns = run_columns(subject, request, notes)};
  for (const BudgetRun& run : study.points) {
    Row row = run_row(run, {}, request);
    row.cells.erase(row.cells.begin());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table convergence_table(const Convergence& convergence, const ConvergenceLaw& law) {
  Table table{.key = "convergence",
              .columns = {number_column("batch", "batch"), number_column("published", "published"),
                          number_column("runs", "runs"), number_column("error", "error", "1"),
                          text_column("held_out", "held out"), text_column("source", "source")},
              .shown = false};
  for (const ConvergencePoint& point : convergence.points) {
    table.rows.push_back(
        {{count(point.batch), Cell{.text = significant(point.data), .value = point.data},
          count(point.runs), share(signed_error(law, point)), words(point.held_out ? "yes" : "no"),
          words(point.source)}});
  }
  return table;
}

}  // namespace

Document budget_report(const Subject& subject, const BudgetStudy& study,
                       const BudgetRequest& request, const BudgetView& view) {
  Document document{.schema = "oracle/budget/1",
                    .headline = headline(subject, study, request),
                    .subject = subject_line(subject, request, view),
                    .main = "points"};
  auto& sections = document.sections;
  sections.emplace_back(setting(subject, request, view));
  sections.emplace_back(best_table(subject, study, request));
  sections.emplace_back(point_table(subject, study, request));
  sections.emplace_back(refusal_notes(subject, study));
  const BudgetRun* best = answer_of(study, request);
  if (best != nullptr) sections.emplace_back(uncertainty_notes(*best, request));
  sections.emplace_back(data_notes(subject, study, request, view));
  if (best != nullptr) sections.emplace_back(rate_notes(*best, request, view));
  if (best != nullptr && best->input) sections.emplace_back(input_notes(*best, request));
  if (best != nullptr && request.failures) {
    sections.emplace_back(failure_notes(subject, *best, request, view));
  }
  const auto* law = std::get_if<ConvergenceLaw>(&request.length.amount);
  if (view.convergence != nullptr && law != nullptr) {
    sections.emplace_back(convergence_table(*view.convergence, *law));
  }
  Subject whole = subject;
  for (std::string& line : budget_assumptions(request))
    whole.assumptions.push_back(std::move(line));
  sections.emplace_back(assumption_notes(whole, view.detailed));
  return document;
}

}  // namespace oracle::report
