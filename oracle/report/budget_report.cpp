#include "oracle/report/budget_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/budget/learning_rate.h"
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

/// "5", "1.58"
std::string plain(double number) {
  return number == std::floor(number) ? grouped(std::llround(number)) : significant(number);
}

std::string device_word(const Cluster& cluster) {
  return rank_word(cluster) == "GPU" ? "GPU" : "device";
}

Cell dollars(const std::optional<double>& amount) {
  if (!amount) return {};
  return {.text = "$" + significant(*amount), .value = *amount, .unit = "USD"};
}

Cell energy(const RunCost& run) {
  if (!run.kilowatt_hours) return {};
  return {.text = significant(*run.kilowatt_hours), .value = *run.kilowatt_hours, .unit = "kWh"};
}

Cell device_hours(const RunCost& run) {
  return {.text = significant(run.device_hours), .value = run.device_hours, .unit = "h"};
}

/// "99.6 %": what is lost shows in its last digits.
std::string goodput_text(double share) { return significant(100 * share) + " %"; }

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
  const double amount = std::get<double>(request.length.amount);
  if (!request.length.counts_epochs()) {
    return "for " + number_of(std::llround(amount), "sample");
  }
  return "for " + number_of(std::llround(amount), "epoch") + " of " +
         number_of(request.length.epoch_samples, "sample");
}

std::string batch_word(const BudgetRequest& request) {
  if (request.batch) return "batch " + grouped(*request.batch);
  if (request.batch_per_rank) return "batch " + grouped(*request.batch_per_rank) + " per rank";
  return "the best batch for " + std::string(name_of(request.objective));
}

std::string subject_line(const Subject& subject, const BudgetRequest& request,
                         const BudgetView& view) {
  return subject.graph.name + " on " + subject.cluster.id + " " + target_phrase(request, view) +
         ", " + to_text(request.strategy) + ", " + batch_word(request) + ", " +
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
             words(to_text(*run.evaluation.infeasible())), Cell{}}};
  }
  const RunCost& cost = run.cost;
  Cell energy_share = cost.kilowatt_hours ? share(cost.energy_uncertainty) : Cell{};
  return {{std::move(lead), count(run.ranks), count(run.batch),
           data_cell(run.data, request.length.counts_epochs()), count(cost.steps),
           report::cost(fits->step), whole_time(cost), share(cost.time.uncertainty),
           device_hours(cost), dollars(cost.dollars), energy(cost), std::move(energy_share),
           goodput_cell(run.checkpoints), words(note), Cell{},
           run.checkpoints ? count(run.checkpoints->every) : Cell{}}};
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
      data_column("checkpoint_every")};
  return columns;
}

Table best_table(const Subject& subject, const BudgetStudy& study, const BudgetRequest& request) {
  std::vector<Column> columns = run_columns(subject, request, false);
  columns.insert(columns.begin(), text_column("best", ""));
  Table table{
      .key = "best",
      .title = "best of " + number_of(study.tried, "run") + " with other counts and batches",
      .columns = std::move(columns)};
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
              .title = "each count, " + batch_word(request),
              .columns = run_columns(subject, request, notes)};
  for (const BudgetRun& run : study.points) {
    Row row = run_row(run, {}, request);
    row.cells.erase(row.cells.begin());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string error_text(double error) { return (error < 0 ? "-" : "+") + percent(std::abs(error)); }

std::string held_out_sentence(const Convergence& convergence, const ConvergenceLaw& law) {
  std::string text;
  for (const ConvergencePoint& point : convergence.points) {
    if (!point.held_out) continue;
    text += (text.empty() ? "" : ", ") + grouped(point.batch) + " " +
            error_text(signed_error(law, point));
  }
  return text.empty() ? text : "held out, batch and error: " + text;
}

std::string law_sentence(const Convergence& convergence, const ConvergenceLaw& law) {
  std::size_t fitted = 0;
  double worst = 0;
  for (const ConvergencePoint& point : convergence.points) {
    if (point.held_out) continue;
    ++fitted;
    worst = std::max(worst, std::abs(signed_error(law, point)));
  }
  const std::string unit = convergence.unit == DataUnit::epochs ? "epochs" : "samples";
  const std::string least =
      law.least < 1e4 ? significant(law.least) : grouped(std::llround(law.least));
  const std::string growth =
      law.slope > 0 ? " · (1 + batch/" + grouped(std::llround(law.critical_batch())) + ")"
                    : " at any batch";
  return least + " " + unit + growth + ", within " + percent(worst) + " of " +
         number_of(static_cast<std::int64_t>(fitted), "published point") + " of batch " +
         grouped(law.first) + " to " + grouped(law.last) + "; " + convergence.source;
}

/// What the length of the run is based on.
Notes data_notes(const BudgetStudy& study, const BudgetRequest& request, const BudgetView& view) {
  Notes notes{"data_to_target", "data until the target", {}};
  const auto* law = std::get_if<ConvergenceLaw>(&request.length.amount);
  if (view.convergence != nullptr && law != nullptr) {
    notes.lines.push_back(law_sentence(*view.convergence, *law));
    const std::string held_out = held_out_sentence(*view.convergence, *law);
    if (!held_out.empty()) notes.lines.push_back(held_out);
    if (!view.convergence->scope.empty()) {
      notes.lines.push_back("counted " + view.convergence->scope);
    }
    const bool outside = std::any_of(study.points.begin(), study.points.end(),
                                     [](const BudgetRun& run) { return run.data.extrapolated; });
    if (outside) {
      notes.lines.push_back("~: the batch is outside " + grouped(law->first) + " to " +
                            grouped(law->last) + ", so the law is extrapolated");
    }
  } else {
    notes.lines.emplace_back("as asked for, whatever the batch: large batches may need more");
  }
  return notes;
}

/// What the best run reads of its data.
std::string reading_sentence(const Subject& subject, const BudgetRun& best, const DataSet& data) {
  std::string formats;
  for (const std::string& format : data.formats) {
    formats += (formats.empty() ? " of " : ", ") + format;
  }
  const Bandwidth rate = data.read_at(best.evaluation.fits()->samples_per_second,
                                      subject.graph[0].output[Axis::sequence]);
  return data.id + ": " + to_text(data.size) + formats + "; on " +
         ranks_phrase(best.ranks, subject.cluster) + " " + to_text(rate) + " are read";
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

std::string rate_sentence(const BudgetRun& best, const BudgetRequest& request) {
  const LearningRateRule& rule = learning_rate_rule(request.training.optimizer.name);
  std::string text = std::string(rule.text) + ": " + plain(learning_rate_factor(rule, best.batch)) +
                     " times what is right at " + grouped(kBaseBatch);
  if (rule.warm_up_epochs > 0) {
    text += ", after a warm-up of " + plain(rule.warm_up_epochs) + " epochs";
  }
  text += " (" + std::string(rule.source) + ")";
  if (rule.largest > 0 && best.batch > rule.largest) {
    text += "; past a batch of " + grouped(rule.largest) + " it was not tried";
  }
  return text;
}

std::string published_rate_sentence(const BudgetRun& best, const Convergence& convergence) {
  const ConvergencePoint& point = nearest_point(convergence.points, best.batch);
  if (point.learning_rate == 0) return {};
  std::string text = "published for batch " + grouped(point.batch) + ": " + convergence.optimizer +
                     ", rate " + plain(point.learning_rate);
  if (point.warm_up > 0) {
    text += ", warm-up " + plain(point.warm_up) + " " + std::string(name_of(convergence.unit));
  }
  return text;
}

Notes rate_notes(const BudgetRun& best, const BudgetRequest& request, const BudgetView& view) {
  Notes notes{"learning_rate", "learning rate at batch " + grouped(best.batch), {}};
  notes.lines.push_back(rate_sentence(best, request));
  if (view.convergence != nullptr) {
    std::string published = published_rate_sentence(best, *view.convergence);
    if (!published.empty()) notes.lines.push_back(std::move(published));
  }
  return notes;
}

/// What time and cost err by most, and what would narrow it.
std::string uncertainty_sentence(const RunUncertainty& parts) {
  const bool step = parts.step >= parts.data;
  std::string text = "of time and cost ";
  text +=
      step ? "the step, ± " + percent(parts.step) + "; oracle calibrate on the machine narrows it"
           : "the data until the target, ± " + percent(parts.data) +
                 "; own runs at three batches narrow it: --convergence FILE";
  if (step && parts.data > 0) text += " (data until the target: ± " + percent(parts.data) + ")";
  if (!step) text += " (step: ± " + percent(parts.step) + ")";
  return text;
}

/// Where the far end of its interval breaks a limit that the run keeps to.
std::vector<std::string> limit_sentences(const BudgetRun& best, const BudgetRequest& request) {
  std::vector<std::string> lines;
  if (!best.allowed) return lines;
  const double most = 1 + best.cost.time.uncertainty;
  const Seconds longest = best.cost.time.time * most;
  if (request.deadline && longest > *request.deadline) {
    lines.push_back("the far end of the interval is " + run_time(longest) + ", past the deadline");
  }
  if (request.purse && best.cost.dollars && *best.cost.dollars * most > *request.purse) {
    lines.push_back("the far end of the interval is " + dollars(*best.cost.dollars * most).text +
                    ", over the purse");
  }
  return lines;
}

/// What the answer errs by most.
Notes uncertainty_notes(const BudgetRun& best, const BudgetRequest& request) {
  const RunUncertainty& parts = best.cost.parts;
  Notes notes{"uncertainty", "what is least certain", {uncertainty_sentence(parts)}};
  if (best.cost.kilowatt_hours && parts.power > std::max(parts.step, parts.data)) {
    notes.lines.push_back("of energy the power of the boards, ± " + percent(parts.power));
  }
  for (std::string& line : limit_sentences(best, request)) notes.lines.push_back(std::move(line));
  return notes;
}

/// What failures and checkpoints leave of the best run.
std::string failure_sentence(const Subject& subject, const BudgetRun& best,
                             const FailureRequest& failures, Bytes checkpoint) {
  const Checkpointing& found = *best.checkpoints;
  const Seconds step = best.evaluation.fits()->step.time;
  std::string text;
  if (std::isfinite(found.mtbf.value)) {
    text = ranks_phrase(best.ranks, subject.cluster) + " fail every " + run_time(found.mtbf) +
           " and start again in " + to_text(failures.restart) + "; ";
  }
  return text + "a checkpoint of " + to_text(checkpoint) + " takes " +
         to_text(failures.checkpoint) + ", every " + number_of(found.every, "step") + " (" +
         run_time(step * static_cast<double>(found.every)) + "): goodput " +
         goodput_text(found.goodput);
}

std::vector<std::string> own_assumptions(const BudgetRequest& request) {
  std::vector<std::string> lines;
  if (request.rates.board_power > 0) {
    lines.push_back("energy: boards of " + plain(request.rates.board_power) + " W, of which " +
                    percent(kBusyShare) + " while they compute and " + percent(kIdleShare) +
                    " while they wait, ± " + percent(kPowerUncertainty) + "; times " +
                    plain(request.rates.pue) + " (PUE); hosts and switches are not counted");
  }
  lines.emplace_back(request.failures
                         ? "the whole run at the pace of one step: no evaluation"
                         : "the whole run at the pace of one step: no evaluation, checkpoint or "
                           "failure");
  return lines;
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
  const BudgetRun* best = answer_of(study, request);
  if (best != nullptr) sections.emplace_back(uncertainty_notes(*best, request));
  Notes data = data_notes(study, request, view);
  if (best != nullptr && view.data_set != nullptr && view.data_set->size.value > 0) {
    data.lines.push_back(reading_sentence(subject, *best, *view.data_set));
  }
  sections.emplace_back(std::move(data));
  if (best != nullptr) sections.emplace_back(rate_notes(*best, request, view));
  if (best != nullptr && request.failures) {
    sections.emplace_back(
        Notes{"failures",
              "failures and checkpoints",
              {failure_sentence(subject, *best, *request.failures, view.checkpoint)}});
  }
  const auto* law = std::get_if<ConvergenceLaw>(&request.length.amount);
  if (view.convergence != nullptr && law != nullptr) {
    sections.emplace_back(convergence_table(*view.convergence, *law));
  }
  Subject whole = subject;
  for (std::string& line : own_assumptions(request)) whole.assumptions.push_back(std::move(line));
  sections.emplace_back(assumption_notes(whole, view.detailed));
  return document;
}

}  // namespace oracle::report
