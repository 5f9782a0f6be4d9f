#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/failure_options.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/request.h"
#include "oracle/cli/storage_options.h"
#include "oracle/cli/training_length.h"
#include "oracle/evaluate/storage_costs.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/budget_report.h"
#include "oracle/report/storage_section.h"
#include "oracle/search/scale.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 3> kExamples = {
    "budget resnet50 --cluster dgx-1-v100 --gpus 8..256 --precision fp16 --price lambda",
    "budget resnet50 --cluster abci --gpus 8..256 --target 75.9% --deadline 4h",
    "budget vgg16 --cluster cloud-10gbe --gpus 1..16 --dataset imagenet --epochs 90"};
constexpr std::array<Option, 7> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"gpus", "COUNTS", "8..256 doubles from the first to the last; or a list: 1,2,6", true},
    {"strategy", "STRATEGY", "the axis without a degree grows with the count (data)"},
    {"objective", "time|cost|energy", "what the best batch is best at (time; cost for a deadline)"},
    {"deadline", "TIME", "the cheapest that ends in time: 24h"},
    {"purse", "MONEY", "the fastest that costs no more: 500USD"},
    {"pue", "N", "what the data centre draws over what its computers do (1.58)"},
}};
constinit const std::array<OptionGroup, 10> kGroups = {{{"what", kOwn},
                                                        {"until", kTargetOptions},
                                                        {"", kRunOptions},
                                                        {"input", kStorageOptions},
                                                        {"failures", kFailureOptions},
                                                        {"training", kTrainingOptions},
                                                        {"", kFrameworkOptions},
                                                        {"machine", kMachineOptions},
                                                        {"network", kModelOptions},
                                                        {"output", kOutputOptions}}};

constexpr std::array<std::pair<std::string_view, BudgetObjective>, 3> kObjectives = {
    {{"time", BudgetObjective::time},
     {"cost", BudgetObjective::cost},
     {"energy", BudgetObjective::energy}}};

constexpr double kLeastPue = 1, kMostPue = 10;

/// Of the units of time, a run's are the long ones.
Seconds parse_deadline(const std::string& text) {
  try {
    return positive<parse_seconds>(text);
  } catch (const QuantityError& error) {
    throw QuantityError(error.what(), "write a time such as 24h or 90min");
  }
}

void read_limits(const Arguments& arguments, BudgetRequest& request, ProblemList& problems) {
  if (const std::string* text = arguments.find("deadline")) {
    request.deadline = problems.attempt("--deadline", [&] { return parse_deadline(*text); });
  }
  if (const std::string* text = arguments.find("purse")) {
    request.purse = problems.attempt("--purse", [&] { return parse_money(*text); });
  }
  request.objective = read_choice(arguments, "objective", kObjectives, problems);
  if (!arguments.has("objective") && request.deadline) request.objective = BudgetObjective::cost;
  if (const auto pue = read_positive(arguments, "pue", "1.1", problems)) {
    request.rates.pue = *pue;
    if (*pue < kLeastPue || *pue > kMostPue) {
      problems.add("--pue", "is not between 1 and 10", "write one such as 1.1");
    }
  }
}

/// What an hour costs and draws, and what cannot be answered without.
void take_rates(const Arguments& arguments, const Cluster& cluster, BudgetRequest& request,
                ProblemList& problems) {
  request.rates.price = cluster.device.price_per_hour;
  request.rates.board_power = cluster.device.board_power;
  if (request.purse && request.rates.price == 0) {
    problems.add("--purse", "no price is known for an hour of " + cluster.device.name,
                 "say it: --price 2.5USD/h, or a provider (see: oracle list prices)");
  }
  if (request.objective == BudgetObjective::energy && request.rates.board_power == 0) {
    problems.add("--objective", "the power of " + cluster.device.name + " is not known",
                 "say it: --set device.board_power=250W");
  }
  if (arguments.has("pue") && request.rates.board_power == 0) {
    problems.add("--pue", "the power of " + cluster.device.name + " is not known",
                 "say it: --set device.board_power=250W");
  }
}

/// The strategy with the options that the framework runs with.
Strategy with_framework(const Arguments& arguments, const Training& training) {
  return parse_strategy(
      with_default_options(arguments.text("strategy", "data"), training.framework.options));
}

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  BudgetRequest request;
  const auto counts =
      problems.attempt("--gpus", [&] { return parse_counts(arguments.text("gpus", "")); });
  request.training = read_training(arguments, problems);
  const BatchOption batch = read_batch(arguments, problems);
  read_strategy("strategy", arguments.text("strategy", "data"), problems);
  read_limits(arguments, request, problems);
  const FailureOptions failures = read_failures(arguments, problems);
  const auto graph = read_graph(arguments, 0, problems);
  std::optional<AskedLength> asked;
  if (graph) asked = read_length(arguments, *graph, problems);
  const StorageRequest storage = read_storage_options(
      arguments, graph ? &*graph : nullptr, asked ? asked->data_set : std::nullopt, problems);
  auto cluster = read_cluster_option(arguments, problems);
  if (cluster) take_rates(arguments, *cluster, request, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  require_format(request.training, *cluster);
  request.training.run_by(read_framework(arguments, *cluster, profile));
  learn_pace(arguments, *graph, request.training, profile, *cluster);
  request.strategy = with_framework(arguments, request.training);
  request.counts = *counts;
  request.batch = batch.global;
  request.batch_per_rank = batch.per_rank;
  request.length = asked->length;
  require_rates("workers", arguments, profile);
  if (storage.reading || arguments.has("workers")) request.storage = storage;
  const Bytes checkpoint = checkpoint_bytes(*graph, request.training);
  // Of replicas one copies the state, each of its ranks a part.
  const Strategy filled = fill(request.strategy, counts->back());
  const double parts = static_cast<double>(filled.ranks()) / static_cast<double>(filled.replicas());
  request.failures =
      failures_of(failures, {checkpoint, checkpoint / parts},
                  storage.reading ? &storage.reading->storage : nullptr, profile, counts->back());

  report::Subject subject = subject_of(arguments, *graph, *cluster);
  if (storage.reading) report::assume(storage.reading->storage, subject);
  if (batch.per_rank) static_cast<void>(batch.on(counts->back(), subject));  // refuses absurd ones
  ProgressLine line(progress, "counts");
  request.progress = line.callback();
  const Setting setting{*graph, *cluster, profile};
  const BudgetStudy study = budget(setting, request);
  line.clear();
  report::BudgetView view;
  view.checkpoint = checkpoint;
  if (asked->convergence) view.convergence = &*asked->convergence;
  if (asked->data_set) view.data_set = &*asked->data_set;
  const BudgetRun* best = study.best_for(request.objective);
  std::optional<Evaluation> detailed;
  if (best != nullptr) {
    detailed = evaluate(*graph, *cluster, profile, best->evaluation.strategy,
                        best->evaluation.training, Detail::events);
    view.detailed = &*detailed;
    subject.accuracy = accuracy_line(*detailed, *cluster, profile);
  }
  const bool answered = best != nullptr && best->allowed;
  return {report::budget_report(subject, study, request, view),
          answered ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kBudgetCommand = {
    "budget",  kWords,  "what a whole training takes: time, money and energy, by count",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
