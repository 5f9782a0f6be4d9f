#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/accuracy/kernel_times.h"
#include "oracle/accuracy/run_class.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/library_fits.h"
#include "oracle/cli/published_steps.h"
#include "oracle/cli/request.h"
#include "oracle/cli/sampled_steps.h"
#include "oracle/cli/timed_passes.h"
#include "oracle/cost/collectives/alone.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/published/collectives_reader.h"
#include "oracle/io/published/kernels_reader.h"
#include "oracle/io/published/published_reader.h"
#include "oracle/io/samples/samples_reader.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/accuracy_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 4> kExamples = {
    "accuracy", "accuracy --runs", "accuracy --kernels",
    "accuracy --samples data/samples/h200-torch"};
constexpr std::array<Option, 5> kOwn = {{
    {"runs", "", "list the published runs one by one"},
    {"kernels", "", "show how right kernels repeated alone are, by device"},
    {"fit", "",
     "fit the constants of GPU libraries on the kernels that may be fitted on, next to those in "
     "use"},
    {"samples", "FOLDER",
     "judge by the training steps measured on one device, in place of those "
     "that others published"},
    {"cluster", "NAME", "the machine that was measured, where data/devices does not name it"},
}};
constinit const std::array<OptionGroup, 2> kGroups = {
    {{"measurements", kOwn}, {"output", kOutputOptions}}};

/// Calls `judge`; its problems name the file and the line.
template <typename Judge>
void at_line(const std::string& id, int line, const Judge& judge) {
  const std::string place = id + ".json:" + std::to_string(line);
  try {
    judge(place);
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part + "|";
  return text;
}

/// What a run of data parallelism, or of one device, has in common with those on other numbers of
/// ranks; empty: it is neither.
std::string series_of(const PublishedRun& run, const report::JudgedRun& judged) {
  if (judged.what.kind != "one device" && judged.what.kind != "data parallel") return {};
  Strategy rest = parse_strategy(run.strategy);
  rest.mesh.clear();
  const double batch = static_cast<double>(run.batch) / static_cast<double>(judged.ranks);
  return joined({network_of(run), judged.device, to_text(rest), std::to_string(batch)});
}

/// What a run has in common with those by other strategies.
std::string setting_of(const PublishedRun& run, const report::JudgedRun& judged) {
  return joined(
      {network_of(run), judged.cluster, std::to_string(judged.ranks), std::to_string(run.batch)});
}

/// Judges every run of one file.
void judge_runs(const PublishedRuns& published, KnownClusters& clusters, KnownNetworks& networks,
                report::AccuracyStudy& study) {
  std::vector<PredictedRun> predicted;
  for (const PublishedRun& run : published.runs) {
    at_line(published.id, run.line, [&](const std::string& place) {
      const std::string& name = run.cluster.empty() ? published.cluster : run.cluster;
      const Cluster& cluster = clusters.called(name);
      const AskedStep asked = asked_by(published, run, networks);
      const Evaluation evaluation =
          evaluate(asked.graph, cluster, Profile{}, asked.strategy, asked.training);
      if (const Infeasible* refusal = evaluation.infeasible()) {
        study.refused.push_back(place + ": " + run.model + ", " + run.strategy + ": " +
                                to_text(*refusal));
      }
      if (evaluation.timed() == nullptr) return;
      const Fits& fits = *evaluation.timed();
      if (run.memory) {
        const Bytes shown = fits.memory.shown(published.memory_shown);
        study.memories.push_back({published.id, published.fitted, shown / *run.memory - 1});
      }
      study.runs.push_back({run.model,
                            name,
                            cluster.device.id,
                            published.framework.empty() ? "unknown" : published.framework,
                            run.strategy,
                            published.precision,
                            run.batch,
                            published.fitted,
                            {fits.step, run.step},
                            published.id,
                            published.source,
                            class_of(evaluation.strategy, evaluation.training, cluster),
                            evaluation.strategy.ranks()});
      report::JudgedRun& judged = study.runs.back();
      judged.series = series_of(run, judged);
      judged.setting = setting_of(run, judged);
      predicted.push_back({run, judged.what.scale, judged.comparison});
    });
  }
  judge_paced(published, predicted, clusters, networks, study.paced);
  for (const OwnProjection& own : published.projections) {
    study.projections.push_back({published.id, own.strategy, own.accuracy});
  }
}

void judge_collectives(const PublishedCollectives& published, KnownClusters& clusters,
                       report::AccuracyStudy& study) {
  for (const PublishedCollective& run : published.runs) {
    at_line(published.id, run.line, [&](const std::string&) {
      const Cluster& cluster = clusters.called(run.cluster);
      if (run.ranks > cluster.ranks()) {
        throw InputError(run.cluster, "has fewer than " + std::to_string(run.ranks) + " ranks",
                         "name a larger cluster");
      }
      const bool inside = run.ranks <= cluster.capacity(0);
      study.collectives.push_back(
          {std::string(name_of(cluster.levels[inside ? 0 : 1].uplink.fabric)),
           inside ? "GPUs" : "nodes",
           run.message,
           published.fitted,
           {collective_alone(Collective::all_reduce, run.message, run.ranks, cluster), run.time}});
    });
  }
}

/// Products with fewer rows or columns run at another rate than large ones.
constexpr std::int64_t kLargeProduct = 256;
/// Of convolutions, by pass.
constexpr std::array<const char*, 3> kPassNames = {"convolution", "data gradient",
                                                   "weight gradient"};

void judge_kernels(const PublishedKernels& published, KnownClusters& clusters,
                   report::AccuracyStudy& study) {
  const Cluster& cluster = clusters.called("1x1x" + published.device);
  const Precision& precision = precision_named(published.precision);
  const auto add = [&](const char* kind, Seconds predicted, Seconds measured) {
    study.kernels.push_back(
        {published.device, published.precision, kind, published.fitted, predicted / measured - 1});
  };
  for (const PublishedProduct& one : published.products) {
    add(std::min(one.m, one.n) < kLargeProduct ? "skinny product" : "large product",
        product_alone(one.m, one.n, one.k, precision, cluster), one.time);
  }
  for (const PublishedConvolution& one : published.convolutions) {
    each_timed_pass(one, [&](const ConvolutionShape& shape, Pass pass, Seconds time) {
      add(kPassNames[static_cast<std::size_t>(pass)],
          convolution_alone(shape, pass, precision, cluster), time);
    });
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
  if (arguments.has("fit")) {
    return {report::library_fit_report(fit_libraries(load_published_kernels()))};
  }
  report::AccuracyStudy study;
  KnownClusters clusters;
  KnownNetworks networks;
  for (const PublishedRuns& published : load_published()) {
    judge_runs(published, clusters, networks, study);
  }
  for (const PublishedCollectives& published : load_published_collectives()) {
    judge_collectives(published, clusters, study);
  }
  for (const PublishedKernels& published : load_published_kernels()) {
    judge_kernels(published, clusters, study);
  }
  return {report::accuracy_report(study, {arguments.has("runs"), arguments.has("kernels")})};
}

}  // namespace

constinit const Command kAccuracyCommand = {
    "accuracy", {}, "predictions compared with published measurements", kExamples, kGroups, answer};

}  // namespace oracle::cli
