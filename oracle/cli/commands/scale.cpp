#include <algorithm>
#include <array>
#include <string_view>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/request.h"
#include "oracle/cli/search_options.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/scale_report.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 3> kExamples = {
    "scale resnet50 --cluster abci --gpus 1..1024",
    "scale vgg16 --cluster abci --gpus 4,16,64 --strategy data,filter:4 --batch-per-gpu 32",
    "scale resnet50 --cluster abci --gpus 1..64 --best --strong --batch 512"};
constexpr std::array<Option, 6> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"gpus", "COUNTS", "1..1024 doubles from the first to the last; or a list: 1,2,6", true},
    {"strategy", "STRATEGY", "the axis without a degree grows with the count (data)"},
    {"best", "", "the best strategy at each count instead"},
    {"weak", "", "keep the samples per GPU (the default without --batch)"},
    {"strong", "", "keep the samples per step (the default with --batch)"},
}};
constinit const std::array<OptionGroup, 7> kGroups = {{{"what", kOwn},
                                                       {"search, with --best", kSearchOptions},
                                                       {"training", kTrainingOptions},
                                                       {"", kFrameworkOptions},
                                                       {"machine", kMachineOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutputOptions}}};

/// Weak or strong, and refuses what contradicts it.
bool read_weak(const Arguments& arguments, ProblemList& problems) {
  const bool weak = arguments.has("weak") || !(arguments.has("strong") || arguments.has("batch"));
  if (arguments.has("weak") && arguments.has("strong")) {
    problems.add("--weak", "contradicts --strong", "give one of the two");
  } else if (weak && arguments.has("batch")) {
    problems.add("--batch", "weak scaling keeps the samples per GPU",
                 "give --batch-per-gpu, or --strong");
  } else if (!weak && arguments.has("batch-per-gpu")) {
    problems.add("--batch-per-gpu", "strong scaling keeps the samples per step",
                 "give --batch, or --weak");
  }
  return weak;
}

void refuse_without_search(const Arguments& arguments, ProblemList& problems) {
  if (arguments.has("best")) return;
  for (const Option& option : kSearchOptions) {
    if (!arguments.has(option.name)) continue;
    problems.add("--" + std::string(option.name), "is for a search, and --best asks for one",
                 "add --best, or leave it out");
  }
}

std::optional<Strategy> read_growing(const Arguments& arguments, ProblemList& problems) {
  if (arguments.has("best") && arguments.has("strategy")) {
    problems.add("--best", "contradicts --strategy", "give one of the two");
  }
  if (arguments.has("best")) return std::nullopt;
  auto strategy = read_strategy("strategy", arguments.text("strategy", "data"), problems);
  if (!strategy) return std::nullopt;
  const auto open = std::count_if(strategy->mesh.begin(), strategy->mesh.end(),
                                  [](const MeshAxis& axis) { return axis.degree == 0; });
  if (open != 1) {
    problems.add("--strategy", "exactly one axis grows with the count: one without a degree",
                 "write it as \"data\" or \"data,filter:4\"");
  }
  return strategy;
}

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  ScaleRequest request;
  const auto counts =
      problems.attempt("--gpus", [&] { return parse_counts(arguments.text("gpus", "")); });
  request.training = read_training(arguments, problems);
  const BatchOption batch = read_batch(arguments, problems);
  request.weak = read_weak(arguments, problems);
  request.strategy = read_growing(arguments, problems);
  refuse_without_search(arguments, problems);
  read_search_options(arguments, request.search, problems);
  const auto graph = read_graph(arguments, 0, problems);
  auto cluster = read_cluster_option(arguments, problems);
  if (cluster) require_price(request.search, *cluster, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  require_format(request.training, *cluster);
  request.training.run_by(read_framework(arguments, *cluster, profile));
  learn_pace(arguments, *graph, request.training, profile, *cluster);
  request.search.training.framework = request.training.framework;
  take_framework_options(arguments, request.search);
  if (request.strategy) {
    request.strategy = parse_strategy(with_default_options(arguments.text("strategy", "data"),
                                                           request.training.framework.options));
  }

  report::Subject subject = subject_of(arguments, *graph, *cluster);
  if (!request.strategy) limit_to_framework(arguments, subject, request.search);
  request.counts = *counts;
  const std::int64_t first = request.weak ? 1 : counts->front();
  request.training.batch = batch.on(first, subject);
  ProgressLine line(progress, "strategies");
  request.search.progress = line.callback();
  const ScaleStudy study = scale(*graph, *cluster, profile, request);
  line.clear();
  const bool any = std::any_of(study.points.begin(), study.points.end(),
                               [](const ScalePoint& point) { return point.evaluation.fits(); });
  return {report::scale_report(subject, study, request), any ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kScaleCommand = {
    "scale", kWords, "where scaling stops, and what stops it", kExamples, kGroups, answer};

}  // namespace oracle::cli
