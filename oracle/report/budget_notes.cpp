#include "oracle/report/budget_notes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/budget/learning_rate.h"
#include "oracle/report/run_section.h"
#include "oracle/report/storage_section.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// "5", "1.58"
std::string plain(double number) {
  return number == std::floor(number) ? grouped(std::llround(number)) : significant(number);
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

/// "90.0 epochs · (1 + batch/1,500)"
std::string law_words(const ConvergenceLaw& law, bool epochs) {
  const std::string least =
      law.least < 1e4 ? significant(law.least) : grouped(std::llround(law.least));
  return least + (epochs ? " epochs" : " samples") +
         (law.slope > 0 ? " · (1 + batch/" + grouped(std::llround(law.critical_batch())) + ")"
                        : " at any batch");
}

std::string law_sentence(const Convergence& convergence, const ConvergenceLaw& law) {
  std::size_t fitted = 0;
  double worst = 0;
  for (const ConvergencePoint& point : convergence.points) {
    if (point.held_out) continue;
    ++fitted;
    worst = std::max(worst, std::abs(signed_error(law, point)));
  }
  return law_words(law, convergence.unit == DataUnit::epochs) + ", within " + percent(worst) +
         " of " + number_of(static_cast<std::int64_t>(fitted), "published point") + " of batch " +
         grouped(law.first) + " to " + grouped(law.last) + "; " + convergence.source;
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
    lines.push_back("the far end of the interval is " + money(*best.cost.dollars * most) +
                    ", over the purse");
  }
  return lines;
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

/// With what it waits for samples.
Cost paced_step(const BudgetRun& run) {
  CostSum step;
  step.add(run.evaluation.fits()->step);
  if (run.input) step.add(run.input->exposed);
  return step.total();
}

/// What failures and checkpoints leave of the best run.
std::string failure_sentence(const Subject& subject, const BudgetRun& best,
                             const FailureRequest& failures, Bytes checkpoint) {
  const Checkpointing& found = *best.checkpoints;
  const Seconds step = paced_step(best).time;
  std::string text;
  if (std::isfinite(found.mtbf.value)) {
    text = ranks_phrase(best.ranks, subject.cluster) + " fail every " + run_time(found.mtbf) +
           " and start again in " + to_text(failures.restart) + "; ";
  }
  std::string takes = to_text(failures.checkpoint);
  if (failures.behind.value > 0) {
    takes += " of training and " + to_text(failures.behind) + " behind it";
  }
  return text + "a checkpoint of " + to_text(checkpoint) + " takes " + takes + ", every " +
         number_of(found.every, "step") + " (" + run_time(step * static_cast<double>(found.every)) +
         "): goodput " + goodput_text(found.goodput);
}

}  // namespace

std::string money(double dollars) { return "$" + significant(dollars); }

std::string goodput_text(double share) { return significant(100 * share) + " %"; }

Notes uncertainty_notes(const BudgetRun& best, const BudgetRequest& request) {
  const RunUncertainty& parts = best.cost.parts;
  Notes notes{"uncertainty", "what is least certain", {uncertainty_sentence(parts)}};
  if (best.cost.kilowatt_hours && parts.power > std::max(parts.step, parts.data)) {
    notes.lines.push_back("of energy the power of the boards, ± " + percent(parts.power));
  }
  for (std::string& line : limit_sentences(best, request)) notes.lines.push_back(std::move(line));
  return notes;
}

Notes data_notes(const Subject& subject, const BudgetStudy& study, const BudgetRequest& request,
                 const BudgetView& view) {
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
  } else if (law != nullptr) {
    notes.lines.push_back(law_words(*law, request.length.counts_epochs()) +
                          ", the critical batch as asked for; ~: no training with such a batch is "
                          "known, so intervals have all that it adds");
  } else {
    notes.lines.emplace_back("as asked for, whatever the batch: large batches may need more");
  }
  const BudgetRun* best = study.best_for(request.objective);
  if (best != nullptr && view.data_set != nullptr && view.data_set->size.value > 0) {
    notes.lines.push_back(reading_sentence(subject, *best, *view.data_set));
  }
  return notes;
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

Notes input_notes(const BudgetRun& best, const BudgetRequest& request) {
  return {"input", "input", {input_sentence(*best.input, *request.storage)}};
}

Notes failure_notes(const Subject& subject, const BudgetRun& best, const BudgetRequest& request,
                    const BudgetView& view) {
  Notes notes{"failures", "failures and checkpoints", {}};
  if (request.failures && best.checkpoints) {
    notes.lines.push_back(failure_sentence(subject, best, *request.failures, view.checkpoint));
  }
  return notes;
}

Notes refusal_notes(const Subject& subject, const BudgetStudy& study) {
  Notes notes{"refusals", "why it does not fit", {}};
  std::vector<Constraint> said;
  for (const BudgetRun& run : study.points) {
    const Infeasible* refusal = run.evaluation.infeasible();
    if (refusal == nullptr) continue;
    if (std::find(said.begin(), said.end(), refusal->constraint) != said.end()) continue;
    said.push_back(refusal->constraint);
    notes.lines.push_back(ranks_phrase(run.ranks, subject.cluster) + ": " + to_text(*refusal));
  }
  return notes;
}

std::vector<std::string> budget_assumptions(const BudgetRequest& request) {
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

}  // namespace oracle::report
