#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/request.h"
#include "oracle/cli/training_length.h"
#include "oracle/cli/trial_options.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/trials_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 3> kExamples = {
    "trials resnet50 --cluster dgx-a100 --gpus 32 --trials 64 --batch 2048 --precision bf16",
    "trials gpt2 --cluster abci --gpus 32 --trials 64 --scheduler asha --batch 64 --tokens 1G",
    "trials bert_base --cluster abci --gpus 16 --scheduler hyperband --batch 64 --tokens 1G"};
constexpr std::array<Option, 5> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"gpus", "N", "GPUs of the whole search", true},
    {"gpus-per-trial", "COUNTS", "1..8 doubles from the first to the last; or a list (1 to all)"},
    {"strategy", "STRATEGY", "of a trial; the axis without a degree grows (data)"},
    {"start", "TIME", "each time a trial begins or goes on: 30s (0)"},
}};
constinit const std::array<OptionGroup, 9> kGroups = {{{"what", kOwn},
                                                       {"trials", kTrialOptions},
                                                       {"until", kTargetOptions},
                                                       {"", kRunOptions},
                                                       {"training", kTrainingOptions},
                                                       {"", kFrameworkOptions},
                                                       {"machine", kMachineOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutputOptions}}};

constexpr std::int64_t kMostRanks = 1'000'000;

/// Powers of two and all, unless others are asked for.
std::vector<std::int64_t> read_per_trial(const Arguments& arguments, std::int64_t ranks,
                                         ProblemList& problems) {
  const std::string text = arguments.text("gpus-per-trial", "1.." + std::to_string(ranks));
  const auto counts = problems.attempt("--gpus-per-trial", [&] { return parse_counts(text); });
  if (!counts) return {};
  if (counts->back() > ranks) {
    problems.add("--gpus-per-trial",
                 std::to_string(counts->back()) + " are more than all " + std::to_string(ranks),
                 "give fewer, or more --gpus");
  }
  return *counts;
}

BatchOption read_trial_batch(const Arguments& arguments, ProblemList& problems) {
  const BatchOption batch = read_batch(arguments, problems);
  if (!arguments.has("batch") && !arguments.has("batch-per-gpu")) {
    problems.add("--batch", "is missing: a trial's batch is one of its hyper-parameters",
                 "give --batch 256, the same on any number of GPUs");
  }
  return batch;
}

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  TrialRequest request;
  request.ranks = read_count(arguments, "gpus", kMostRanks, problems).value_or(1);
  request.search = read_trials(arguments, problems);
  request.per_trial = read_per_trial(arguments, request.ranks, problems);
  request.training = read_training(arguments, problems);
  const BatchOption batch = read_trial_batch(arguments, problems);
  read_strategy("strategy", arguments.text("strategy", "data"), problems);
  if (const std::string* text = arguments.find("start")) {
    request.start =
        problems.attempt("--start", [&] { return parse_seconds(*text); }).value_or(Seconds{});
  }
  const auto graph = read_graph(arguments, 0, problems);
  std::optional<AskedLength> asked;
  if (graph) asked = read_length(arguments, *graph, problems);
  auto cluster = read_cluster_option(arguments, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  require_format(request.training, *cluster);
  request.training.run_by(read_framework(arguments, *cluster, profile));
  learn_pace(arguments, *graph, request.training, profile, *cluster);
  request.strategy = parse_strategy(
      with_default_options(arguments.text("strategy", "data"), request.training.framework.options));
  request.batch = batch.global;
  request.batch_per_rank = batch.per_rank;
  request.length = asked->length;
  request.rates = {cluster->device.price_per_hour, cluster->device.board_power};

  report::Subject subject = subject_of(arguments, *graph, *cluster);
  ProgressLine line(progress, "counts");
  request.progress = line.callback();
  const TrialStudy study = study_trials({*graph, *cluster, profile}, request);
  line.clear();
  std::optional<Evaluation> detailed;
  if (study.best) {
    const Evaluation& best = study.points[*study.best].evaluation;
    detailed = evaluate(*graph, *cluster, profile, best.strategy, best.training, Detail::events);
    subject.accuracy = accuracy_line(*detailed, *cluster, profile);
  }
  return {report::trials_report(subject, study, request, detailed ? &*detailed : nullptr),
          study.best ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kTrialsCommand = {
    "trials",  kWords,  "how long a search of hyper-parameters takes, with how many GPUs per trial",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
