#include "oracle/report/trials_report.h"

#include <cmath>
#include <utility>

#include "oracle/report/run_section.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::string search_phrase(const TrialSearch& search) {
  return number_of(search.trials, "trial") + ", " + std::string(name_of(search.scheduler));
}

std::string length_phrase(const TrialRequest& request, const TrialStudy& study) {
  const std::int64_t batch = study.points.empty() ? 1 : study.points.front().batch;
  const double amount = data_at(request.length, batch).amount;
  if (request.length.counts_epochs()) {
    const bool whole = amount == std::floor(amount);
    return (whole ? number_of(std::llround(amount), "epoch") : significant(amount) + " epochs") +
           " each";
  }
  return number_of(std::llround(amount), "sample") + " each";
}

std::string device_hours_phrase(const RunCost& cost, const Cluster& cluster) {
  const std::string device = rank_word(cluster) == "GPU" ? "GPU" : "device";
  return significant(cost.device_hours) + " " + device + "-hours";
}

std::string headline(const Subject& subject, const TrialStudy& study) {
  if (!study.best) return "a trial fits on none of these counts";
  const TrialPoint& best = study.points[*study.best];
  std::string text = "fastest: " + ranks_phrase(best.ranks, subject.cluster) + " per trial, " +
                     grouped(best.places) + " at a time   " + run_time(best.cost.time.time) +
                     " ± " + percent(best.cost.time.uncertainty) + "   " +
                     device_hours_phrase(best.cost, subject.cluster);
  if (best.cost.dollars) text += "   $" + significant(*best.cost.dollars);
  return text;
}

std::string subject_line(const Subject& subject, const TrialStudy& study,
                         const TrialRequest& request) {
  const std::string batch = request.batch ? "batch " + grouped(*request.batch)
                                          : "batch " + grouped(*request.batch_per_rank) + " per " +
                                                rank_word(subject.cluster);
  return subject.graph.name + " on " + ranks_phrase(request.ranks, subject.cluster) + " of " +
         subject.cluster.id + ", " + search_phrase(request.search) + ", " +
         length_phrase(request, study) + ", " + to_text(request.strategy) + ", " + batch + ", " +
         training_phrase(request.training);
}

Fields setting(const Subject& subject, const TrialRequest& request) {
  return {.rows = {{"model", {}, words(subject.graph.name)},
                   {"cluster", {}, words(subject.cluster.id)},
                   {"ranks", {}, count(request.ranks)},
                   {"trials", {}, count(request.search.trials)},
                   {"scheduler", {}, words(name_of(request.search.scheduler))},
                   {"strategy", {}, words(to_text(request.strategy))},
                   {"precision", {}, words(request.training.precision.name)},
                   {"optimizer", {}, words(request.training.optimizer.name)}},
          .shown = false};
}

Cell whole_time(const Cost& time) {
  Cell cell = cost(time);
  cell.text = run_time(time.time);
  return cell;
}

Cell dollars(const RunCost& run) {
  if (!run.dollars) return {};
  return {.text = significant(*run.dollars), .value = *run.dollars, .unit = "USD"};
}

Row point_row(const TrialPoint& point) {
  const Fits* fits = point.evaluation.fits();
  if (fits == nullptr) {
    return {{count(point.ranks), count(point.places), count(point.batch), Cell{}, Cell{}, Cell{},
             Cell{}, Cell{}, Cell{}, Cell{}, words("does not fit"),
             words(to_text(*point.evaluation.infeasible()))}};
  }
  return {{count(point.ranks), count(point.places), count(point.batch), cost(fits->step),
           whole_time(point.alone), whole_time(point.cost.time), share(point.cost.time.uncertainty),
           share(point.courses.mean.busy),
           Cell{.text = significant(point.cost.device_hours),
                .value = point.cost.device_hours,
                .unit = "h"},
           dollars(point.cost), Cell{}, Cell{}}};
}

Table point_table(const Subject& subject, const TrialStudy& study, const TrialRequest& request) {
  bool refused = false;
  for (const TrialPoint& point : study.points) refused = refused || !point.fits();
  const std::string ranks = rank_word(subject.cluster) + "s";
  Table table{
      .key = "points",
      .columns = {
          number_column("ranks_per_trial", ranks + " each"),
          number_column("at_a_time", "at a time"),
          request.batch ? data_column("batch") : number_column("batch", "batch"),
          left_out(number_column("step_time", "step", "s"), 2),
          number_column("trial_time", "one trial", "s"), number_column("time", "search", "s"),
          number_column("uncertainty", "±", "1"), number_column("busy", "in use", "1"),
          left_out(number_column("device_hours", ranks == "GPUs" ? "GPU-hours" : "hours", "h"), 1),
          request.rates.price > 0 ? number_column("cost", "cost", "USD")
                                  : data_column("cost", "USD"),
          refused ? text_column("note", "") : data_column("note"), data_column("refusal")}};
  for (const TrialPoint& point : study.points) table.rows.push_back(point_row(point));
  return table;
}

/// How far trials go, and what that saves.
Table rung_table(const TrialStudy& study, const TrialRequest& request) {
  Table table{.key = "rungs",
              .title = "how far trials are trained",
              .columns = {number_column("rung", "rung"), number_column("part", "to", "1"),
                          number_column("runs", "trials")},
              .shown = request.search.scheduler != TrialScheduler::random};
  if (!study.best) return table;
  const TrialCourse& course = study.points[*study.best].courses.mean;
  for (std::int64_t r = 0; r < request.search.rungs; ++r) {
    const std::int64_t runs = course.runs[static_cast<std::size_t>(r)];
    if (runs > 0) {
      table.rows.push_back({{count(r + 1), share(part_at(request.search, r)), count(runs)}});
    }
  }
  return table;
}

Table turn_table(const Subject& subject, const TrialStudy& study) {
  const std::string ranks = rank_word(subject.cluster) + "s";
  Table table{.key = "by_trials",
              .title = "what is fastest for fewer trials",
              .columns = {number_column("trials", "trials"),
                          number_column("ranks_per_trial", ranks + " each"),
                          number_column("time", "search", "s")},
              .shown = study.points.size() > 1};
  for (const TrialTurn& turn : study.by_trials) {
    Cell length = time(turn.time);
    length.text = run_time(turn.time);
    table.rows.push_back({{count(turn.trials), count(turn.ranks), std::move(length)}});
  }
  return table;
}

std::vector<std::string> search_assumptions(const TrialStudy& study, const TrialRequest& request) {
  std::vector<std::string> lines = {
      "all trials train equally fast; their input and storage serve as many as train at a time"};
  if (request.start == Seconds{}) lines.emplace_back("a trial begins, and goes on, at once");
  if (study.best && request.search.scheduler != TrialScheduler::random) {
    const double trainings = study.points[*study.best].courses.mean.trainings;
    lines.push_back("runs amount to " + significant(trainings) + " whole trainings; all trials " +
                    "to the end would be " + grouped(request.search.trials));
  }
  return lines;
}

}  // namespace

Document trials_report(const Subject& subject, const TrialStudy& study, const TrialRequest& request,
                       const Evaluation* detailed) {
  Document document{.schema = "oracle/trials/1",
                    .headline = headline(subject, study),
                    .subject = subject_line(subject, study, request),
                    .main = "points"};
  auto& sections = document.sections;
  sections.emplace_back(setting(subject, request));
  sections.emplace_back(point_table(subject, study, request));
  sections.emplace_back(rung_table(study, request));
  sections.emplace_back(turn_table(subject, study));
  Subject whole = subject;
  for (std::string& line : search_assumptions(study, request)) {
    whole.assumptions.push_back(std::move(line));
  }
  sections.emplace_back(assumption_notes(whole, detailed));
  return document;
}

}  // namespace oracle::report
