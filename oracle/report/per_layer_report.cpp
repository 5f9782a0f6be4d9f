#include "oracle/report/per_layer_report.h"

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::string headline(const Subject& subject, const PerLayerAnswer& answer, const Evaluation* best,
                     std::int64_t ranks) {
  if (!best || !best->fits()) return "nothing fits on " + ranks_phrase(ranks, subject.cluster);
  const std::string verdict = answer.gain > 0 ? percent(answer.gain) + " faster than any named"
                                              : "no assignment found beats it";
  return fit_sentence(*best->fits(), subject.cluster) + "   " + verdict;
}

std::string subject_line(const Subject& subject, const PerLayerAnswer& answer, std::int64_t ranks,
                         const Training& training) {
  return subject.graph.name + " on " + subject.cluster.id + ", " +
         ranks_phrase(ranks, subject.cluster) + ", " +
         batch_phrase(training.batch, subject.cluster) + ", " + training_phrase(training) +
         "; mesh axes of its own for each layer on " + number_of(answer.meshes, "mesh", "meshes") +
         ", compared with " + grouped(answer.named.considered) + " named strategies";
}

std::string range_text(const Graph& graph, const CutRun& run) {
  const std::string& first = graph[run.first].name;
  return run.first == run.last ? first : first + " … " + graph[run.last].name;
}

Table run_table(const Subject& subject, const PerLayerAnswer& answer) {
  Table table{
      .key = "runs",
      .columns = {text_column("layers", "layers"), data_column("first"), data_column("last"),
                  number_column("contractions", "of them"), text_column("cuts", "cuts")}};
  for (const CutRun& run : answer.runs) {
    Strategy cuts;
    cuts.mesh = run.mesh;
    table.rows.push_back(
        {{words(range_text(subject.graph, run)), words(subject.graph[run.first].name),
          words(subject.graph[run.last].name), count(run.contractions),
          words(strategy_text(cuts))}});
  }
  return table;
}

std::string proof_text(const PerLayerAnswer& answer) {
  if (answer.proven) return "proven: no assignment without a pipeline is faster";
  return "within " + percent(answer.gap) + " of what no assignment without a pipeline can beat";
}

Fields answer_fields(const PerLayerAnswer& answer) {
  Fields fields;
  fields.rows = {{"strategy", "--strategy", words("\"" + strategy_text(*answer.best) + "\"")}};
  fields.rows[0].cell.name = strategy_text(*answer.best);
  if (!answer.named.candidates.empty()) {
    const Candidate& named = answer.named.candidates.front();
    fields.rows.push_back({"best_named", "best named",
                           words(strategy_text(named.strategy) + ", " + to_text(named.step.time))});
    fields.rows.back().cell.name = strategy_text(named.strategy);
    fields.rows.push_back({"best_named_step", {}, time(named.step.time)});
    fields.rows.push_back({"gain", {}, share(answer.gain)});
  }
  fields.rows.push_back({"proof", "optimality", words(proof_text(answer))});
  fields.rows.push_back({"proven", {}, words(answer.proven ? "yes" : "no")});
  fields.rows.push_back({"bound", {}, time(answer.bound)});
  fields.rows.push_back({"gap", {}, share(answer.gap)});
  fields.rows.push_back({"meshes", {}, count(answer.meshes)});
  fields.rows.push_back({"evaluations", {}, count(answer.evaluations)});
  return fields;
}

/// For each reason the named strategy that comes nearest.
Notes reasons(const PerLayerAnswer& answer) {
  Notes notes{.key = "refused", .title = "why"};
  for (const Refused& refused : answer.named.refused) {
    notes.lines.push_back(strategy_text(refused.nearest) + ": " + to_text(refused.reason));
  }
  return notes;
}

}  // namespace

Document per_layer_report(const Subject& subject, const PerLayerAnswer& answer,
                          const Evaluation* best, std::int64_t ranks, const Training& training) {
  Document document{.schema = "oracle/per_layer/1",
                    .headline = headline(subject, answer, best, ranks),
                    .subject = subject_line(subject, answer, ranks, training),
                    .main = "runs"};
  auto& sections = document.sections;
  sections.emplace_back(setting_fields(subject, ranks, training));
  sections.emplace_back(run_table(subject, answer));
  const Fits* fits = best ? best->fits() : nullptr;
  if (fits) {
    sections.emplace_back(answer_fields(answer));
    sections.emplace_back(breakdown_table(*fits));
    sections.emplace_back(limit_fields(*fits));
    sections.emplace_back(evidence_table(*fits));
    sections.emplace_back(memory_table(fits->memory, subject.cluster, false));
  } else {
    sections.emplace_back(reasons(answer));
  }
  sections.emplace_back(assumption_notes(subject, best));
  return document;
}

}  // namespace oracle::report
