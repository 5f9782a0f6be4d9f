#include "oracle/report/evaluation_report.h"

#include <string>
#include <utility>

#include "oracle/report/gantt.h"
#include "oracle/report/item_tables.h"
#include "oracle/report/memory_view.h"
#include "oracle/report/storage_section.h"
#include "oracle/report/token_section.h"
#include "oracle/report/what_if.h"

namespace oracle::report {
namespace {

std::string subject_line(const Subject& subject, const Evaluation& evaluation) {
  return subject.graph.name + " on " + subject.cluster.id + ", " +
         ranks_phrase(evaluation.ranks, subject.cluster) + ", " + short_text(evaluation.strategy) +
         ", " +
         batch_phrase(evaluation.training.batch, subject.cluster,
                      evaluation.plan ? &*evaluation.plan : nullptr) +
         ", " + training_phrase(evaluation.training);
}

Fields verdict_fields(const Evaluation& evaluation, std::string_view verdict) {
  return {.key = {},
          .title = {},
          .rows = {{"strategy", {}, words(strategy_text(evaluation.strategy))},
                   {"verdict", {}, words(verdict)}},
          .shown = false};
}

Fields beyond_fields(const Fits& fits) {
  return {.key = "if_memory_sufficed",
          .title = "if memory sufficed",
          .rows = {{"step_time", "step", cost(fits.step)},
                   {"throughput", "samples", throughput(fits.samples_per_second)}}};
}

Fields answer_fields(const Fits& fits) {
  return {.key = {},
          .title = {},
          .rows = {{"step_time", {}, cost(fits.step)},
                   {"throughput", {}, throughput(fits.samples_per_second)},
                   {"memory_needed", {}, memory_size(fits.memory.total())},
                   {"memory_available", {}, memory_size(fits.memory.available)}},
          .shown = false};
}

Table shown_if(Table table, bool shown) {
  table.shown = shown;
  return table;
}

std::string main_table(const EvaluationView& view) {
  switch (view.by) {
    case By::layer:
      return "layers";
    case By::transfer:
      return "transfers";
    case By::phase:
      return "phases";
    case By::none:
      break;
  }
  if (view.timeline) return "events";
  if (view.sensitivity) return "elasticities";
  return view.memory ? "memory" : "breakdown";
}

void add_memory(Document& document, const Subject& subject, const Evaluation& evaluation,
                const EvaluationView& view) {
  const Footprint& memory = evaluation.fits()->memory;
  document.sections.emplace_back(memory_table(memory, subject.cluster, view.memory));
  if (!view.memory) return;
  document.sections.emplace_back(peak_fields(subject.graph, evaluation));
  if (!evaluation.plan) return;
  const std::vector<Bytes> course = transient_bytes(subject.graph, *evaluation.plan, memory.stage);
  document.sections.emplace_back(memory_course(course));
}

/// For programs: which part of the step has its events listed.
Fields extent_fields(const Timeline& timeline) {
  Fields fields{.shown = false};
  if (timeline.shown < timeline.micro_batches) {
    fields.rows.push_back({"events_of", {}, words(shown_phrase(timeline))});
  }
  return fields;
}

void add_details(Document& document, const Subject& subject, const Evaluation& evaluation,
                 const EvaluationView& view) {
  auto& sections = document.sections;
  sections.emplace_back(shown_if(phase_table(evaluation), view.by == By::phase));
  sections.emplace_back(shown_if(layer_table(subject.graph, evaluation), view.by == By::layer));
  sections.emplace_back(
      shown_if(transfer_table(subject.graph, evaluation), view.by == By::transfer));
  if (view.timeline) sections.emplace_back(gantt(evaluation.fits()->timeline, view.columns));
  if (view.timeline || view.trace) {
    sections.emplace_back(event_table(subject.graph, evaluation));
    sections.emplace_back(extent_fields(evaluation.fits()->timeline));
  }
  if (view.trace) sections.emplace_back(memory_course_table(subject.graph, evaluation));
}

}  // namespace

Document evaluation_report(const Subject& subject, const Evaluation& evaluation,
                           const EvaluationView& view) {
  Document document{.schema = "oracle/evaluation/1",
                    .headline = {},
                    .subject = subject_line(subject, evaluation),
                    .sections = {},
                    .main = main_table(view)};
  auto& sections = document.sections;
  sections.emplace_back(setting_fields(subject, evaluation.ranks, evaluation.training));
  if (const Infeasible* refusal = evaluation.infeasible()) {
    document.headline = "does not fit: " + to_text(*refusal);
    document.main = "infeasible";
    sections.emplace_back(verdict_fields(evaluation, "infeasible"));
    sections.emplace_back(refusal_table({refusal, 1}));
    if (evaluation.beyond) {
      sections.emplace_back(beyond_fields(*evaluation.beyond));
      sections.emplace_back(memory_table(evaluation.beyond->memory, subject.cluster, view.memory));
    }
    sections.emplace_back(assumption_notes(subject, &evaluation));
    return document;
  }
  const Fits& fits = *evaluation.fits();
  document.headline = fit_sentence(fits, subject.cluster) + "   fits";
  sections.emplace_back(verdict_fields(evaluation, "fits"));
  sections.emplace_back(answer_fields(fits));
  sections.emplace_back(breakdown_table(fits));
  sections.emplace_back(stage_table(subject.graph, fits));
  sections.emplace_back(limit_fields(fits));
  sections.emplace_back(evidence_table(fits));
  if (const auto rates = token_rates(subject.graph, subject.cluster, evaluation)) {
    sections.emplace_back(token_fields(*rates, subject.cluster));
  }
  if (view.run) {
    sections.emplace_back(run_table(*view.run, fits.step, evaluation.training.batch,
                                    evaluation.ranks, subject.cluster));
  }
  if (view.storage) sections.emplace_back(storage_fields(*view.storage));
  if (view.sensitivity) {
    sections.emplace_back(elasticity_table(*view.sensitivity, subject.cluster));
    sections.emplace_back(change_table(*view.sensitivity));
  }
  add_memory(document, subject, evaluation, view);
  add_details(document, subject, evaluation, view);
  sections.emplace_back(assumption_notes(subject, &evaluation));
  return document;
}

}  // namespace oracle::report
