#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/cli/sampled_steps.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/published/published_reader.h"
#include "oracle/io/samples/samples_reader.h"
#include "oracle/report/accuracy_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 3> kExamples = {
    "accuracy", "accuracy --runs", "accuracy --samples data/samples/h200-torch"};
constexpr std::array<Option, 3> kOwn = {{
    {"runs", "", "list the published runs one by one"},
    {"samples", "FOLDER",
     "judge by the training steps measured on one device, in place of those "
     "that others published"},
    {"cluster", "NAME", "the machine that was measured, where data/devices does not name it"},
}};
constinit const std::array<OptionGroup, 2> kGroups = {
    {{"measurements", kOwn}, {"output", kOutputOptions}}};

Evaluation predict(const PublishedRuns& published, const PublishedRun& run,
                   const Cluster& cluster) {
  ModelOverrides overrides;
  if (!run.input.empty()) overrides.input = parse_input_shape(run.input);
  Training training{run.batch, precision_named(published.precision),
                    optimizer_named(published.optimizer)};
  if (!published.framework.empty()) training.framework = load_framework(published.framework);
  return evaluate(load_model(run.model, overrides), cluster, Profile{},
                  parse_strategy(run.strategy), training);
}

/// Judges every run of one file; problems of a run name its line.
void judge_runs(const PublishedRuns& published, std::vector<report::JudgedRun>& judged,
                std::vector<std::string>& left_out) {
  std::map<std::string, Cluster> clusters;
  for (const PublishedRun& run : published.runs) {
    const std::string& name = run.cluster.empty() ? published.cluster : run.cluster;
    const std::string place = published.id + ".json:" + std::to_string(run.line);
    try {
      auto cluster = clusters.find(name);
      if (cluster == clusters.end()) cluster = clusters.emplace(name, load_cluster(name)).first;
      const Evaluation evaluation = predict(published, run, cluster->second);
      if (const Infeasible* refusal = evaluation.infeasible()) {
        left_out.push_back(place + ": " + run.model + ", " + run.strategy + ": " +
                           to_text(*refusal));
        continue;
      }
      judged.push_back({run.model,
                        name,
                        cluster->second.device.id,
                        published.framework.empty() ? "unknown" : published.framework,
                        run.strategy,
                        published.precision,
                        run.batch,
                        published.fitted,
                        {evaluation.fits()->step, run.step},
                        published.id,
                        published.source});
    } catch (const InputError& error) {
      throw InputError(place, error.what());
    }
  }
}

Answer judge_samples(const std::string& folder, const Arguments& arguments) {
  const samples::Samples samples = load_samples(folder);
  const std::string* named = arguments.find("cluster");
  if (named == nullptr && samples.runs.empty()) {
    throw InputError("--samples", "names no device, as it holds no run",
                     "name the machine with --cluster NAME");
  }
  const Cluster machine =
      named != nullptr ? load_cluster(*named) : machine_called(samples.runs.front().device);
  SampledSteps steps = judge_sampled_steps(samples, machine);
  return {report::step_accuracy_report(origin_of(samples, machine), steps.judged, notes_on(samples),
                                       std::move(steps.left_out)),
          steps.judged.empty() ? ExitCode::no : ExitCode::answered};
}

Answer answer(const Arguments& arguments, const Progress&) {
  if (const std::string* folder = arguments.find("samples")) {
    return judge_samples(*folder, arguments);
  }
  if (arguments.has("cluster")) {
    throw InputError("--cluster", "goes with --samples alone", "leave it out, or add --samples");
  }
  std::vector<report::JudgedRun> judged;
  std::vector<std::string> left_out;
  for (const PublishedRuns& published : load_published()) judge_runs(published, judged, left_out);
  return {report::accuracy_report(judged, std::move(left_out), arguments.has("runs"))};
}

}  // namespace

constinit const Command kAccuracyCommand = {
    "accuracy", {}, "predictions compared with published measurements", kExamples, kGroups, answer};

}  // namespace oracle::cli
