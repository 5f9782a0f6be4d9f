#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/published/published_reader.h"
#include "oracle/report/accuracy_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kExamples = {"accuracy", "accuracy --format csv"};
constinit const std::array<OptionGroup, 1> kGroups = {{{"output", kOutputOptions}}};

Evaluation predict(const PublishedRuns& published, const PublishedRun& run,
                   const Cluster& cluster) {
  ModelOverrides overrides;
  if (!run.input.empty()) overrides.input = parse_input_shape(run.input);
  const Training training{run.batch, precision_named(published.precision),
                          optimizer_named(published.optimizer)};
  return evaluate(load_model(run.model, overrides), cluster, Profile{},
                  parse_strategy(run.strategy), training);
}

/// Judges every run of one file; problems of a run name its line.
void judge_runs(const PublishedRuns& published, std::vector<report::JudgedRun>& judged,
                std::vector<std::string>& left_out) {
  const Cluster cluster = load_cluster(published.cluster);
  for (const PublishedRun& run : published.runs) {
    const std::string place = published.id + ".json:" + std::to_string(run.line);
    try {
      const Evaluation evaluation = predict(published, run, cluster);
      if (const Infeasible* refusal = evaluation.infeasible()) {
        left_out.push_back(place + ": " + run.model + ", " + run.strategy + ": " +
                           to_text(*refusal));
        continue;
      }
      judged.push_back({run.model,
                        published.cluster,
                        run.strategy,
                        published.precision,
                        run.batch,
                        {evaluation.fits()->step, run.step},
                        published.id,
                        published.source});
    } catch (const InputError& error) {
      throw InputError(place, error.what());
    }
  }
}

Answer answer(const Arguments&, const Progress&) {
  std::vector<report::JudgedRun> judged;
  std::vector<std::string> left_out;
  for (const PublishedRuns& published : load_published()) judge_runs(published, judged, left_out);
  return {report::accuracy_report(judged, std::move(left_out))};
}

}  // namespace

constinit const Command kAccuracyCommand = {
    "accuracy", {}, "predictions beside published measurements", kExamples, kGroups, answer};

}  // namespace oracle::cli
