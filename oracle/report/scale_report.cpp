#include "oracle/report/scale_report.h"

#include <algorithm>

#include "oracle/plan/cuts/cut.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

const ScalePoint* last_that_fits(const ScaleStudy& study) {
  const auto last = std::find_if(study.points.rbegin(), study.points.rend(),
                                 [](const ScalePoint& point) { return point.evaluation.fits(); });
  return last == study.points.rend() ? nullptr : &*last;
}

std::string crossover_text(const ScaleStudy& study, const Cluster& cluster) {
  if (study.crossover) {
    return "communication overtakes compute at " + ranks_phrase(*study.crossover, cluster);
  }
  return "communication stays below compute";
}

std::string headline(const Subject& subject, const ScaleStudy& study) {
  const ScalePoint* last = last_that_fits(study);
  if (!last) return "nothing fits at any of these counts";
  return "efficiency " + percent(last->efficiency) + " at " +
         ranks_phrase(last->ranks, subject.cluster) + "   " +
         throughput(last->evaluation.fits()->samples_per_second).text + "   " +
         crossover_text(study, subject.cluster);
}

std::string subject_line(const Subject& subject, const ScaleRequest& request) {
  std::string batch = "batch " + grouped(request.training.batch);
  batch += request.weak ? " per " + rank_word(subject.cluster) + " (weak scaling)"
                        : " in all (strong scaling)";
  return subject.graph.name + " on " + subject.cluster.id + ", " +
         (request.strategy ? to_text(*request.strategy) : "the best strategy at each count") +
         ", " + batch + ", " + training_phrase(request.training);
}

Fields setting(const Subject& subject, const ScaleStudy& study, const ScaleRequest& request) {
  return {.rows = {{"model", {}, words(subject.graph.name)},
                   {"cluster", {}, words(subject.cluster.id)},
                   {"scaling", {}, words(request.weak ? "weak" : "strong")},
                   {request.weak ? "batch_per_rank" : "batch", {}, count(request.training.batch)},
                   {"precision", {}, words(request.training.precision.name)},
                   {"optimizer", {}, words(request.training.optimizer.name)},
                   {"strategy", {}, words(request.strategy ? to_text(*request.strategy) : "best")},
                   {"crossover", {}, study.crossover ? count(*study.crossover) : Cell{}}},
          .shown = false};
}

/// The part of the step that waits for communication.
double exposed_share(const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  return share_of(parts.exposed_activation + parts.exposed_gradient, fits.timeline.length);
}

Row point_row(const ScalePoint& point) {
  const std::string strategy = short_text(point.evaluation.strategy);
  if (const Infeasible* refusal = point.evaluation.infeasible()) {
    return {{count(point.ranks), count(point.batch), words(strategy), Cell{}, Cell{}, Cell{},
             Cell{}, Cell{}, Cell{},
             Cell{.text = "does not fit: " + prose(name_of(refusal->constraint)),
                  .name = std::string(name_of(refusal->constraint))},
             words("infeasible"), words(to_text(*refusal))}};
  }
  const Fits& fits = *point.evaluation.fits();
  return {{count(point.ranks), count(point.batch), words(strategy), cost(fits.step),
           share(fits.step.uncertainty), samples(fits.samples_per_second), share(point.efficiency),
           share(exposed_share(fits)), memory_size(fits.memory.total()),
           named(name_of(fits.bottleneck)), words("fits"), words(limit_sentence(fits))}};
}

Table point_table(const Subject& subject, const ScaleStudy& study, bool best) {
  const Column strategy = best ? text_column("strategy", "strategy") : data_column("strategy");
  Table table{
      .key = "points",
      .columns = {number_column("ranks", rank_word(subject.cluster) + "s"),
                  number_column("batch", "batch"), strategy,
                  number_column("step_time", "step", "s"), number_column("uncertainty", "±", "1"),
                  left_out(number_column("throughput", "samples/s", "samples/s"), 1),
                  number_column("efficiency", "efficiency", "1"),
                  left_out(number_column("exposed_communication", "exposed", "1"), 3),
                  left_out(number_column("memory", "memory", "B"), 2),
                  text_column("bottleneck", "limited by"), data_column("verdict"),
                  data_column("limited_by")}};
  for (const ScalePoint& point : study.points) table.rows.push_back(point_row(point));
  return table;
}

/// What limits the step, as a name: neighbours with the same share a sentence.
std::string_view limit_of(const Evaluation& evaluation) {
  const Infeasible* refusal = evaluation.infeasible();
  return refusal ? name_of(refusal->constraint) : name_of(evaluation.fits()->bottleneck);
}

/// What limits each point, in a sentence wherever that changes.
Table limit_sentences(const Subject& subject, const ScaleStudy& study) {
  Table table{.title = "what limits, from this number of " + rank_word(subject.cluster) + "s on",
              .columns = {number_column({}, {}), label_column({})}};
  std::string_view last;
  for (const ScalePoint& point : study.points) {
    if (limit_of(point.evaluation) == last) continue;
    last = limit_of(point.evaluation);
    const Infeasible* refusal = point.evaluation.infeasible();
    table.rows.push_back(
        {{count(point.ranks),
          words(refusal ? to_text(*refusal) : limit_sentence(*point.evaluation.fits()))}});
  }
  return table;
}

Table limit_table(const ScaleStudy& study) {
  const std::int64_t batch = study.points.empty() ? 1 : study.points.back().batch;
  Table table{.key = "limits",
              .title = "how far each mesh axis goes alone, at batch " + grouped(batch),
              .columns = {text_column("axis", "axis"), text_column("rule", "rule"),
                          number_column("most", "at most"),
                          number_column("most_in_memory", "and in memory"),
                          text_column("subject", "because of")}};
  for (const CutLimit& limit : study.limits) {
    const bool none = limit.most_in_memory == 0;
    table.rows.push_back({{words(row_of(limit.cut).axis_name), words(limit.rule), count(limit.most),
                           none ? Cell{.text = "none", .value = 0} : count(limit.most_in_memory),
                           words(limit.subject)}});
  }
  return table;
}

}  // namespace

Document scale_report(const Subject& subject, const ScaleStudy& study,
                      const ScaleRequest& request) {
  Document document{.schema = "oracle/scaling/1",
                    .headline = headline(subject, study),
                    .subject = subject_line(subject, request),
                    .main = "points"};
  auto& sections = document.sections;
  sections.emplace_back(setting(subject, study, request));
  sections.emplace_back(point_table(subject, study, !request.strategy));
  sections.emplace_back(limit_sentences(subject, study));
  sections.emplace_back(limit_table(study));
  const ScalePoint* last = last_that_fits(study);
  sections.emplace_back(assumption_notes(subject, last ? &last->evaluation : nullptr));
  return document;
}

}  // namespace oracle::report
