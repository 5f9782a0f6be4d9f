#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/launch.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/request.h"
#include "oracle/cli/step_options.h"
#include "oracle/cli/storage_options.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/evaluation_report.h"
#include "oracle/report/storage_section.h"
#include "oracle/search/scale.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 5> kExamples = {
    "estimate vgg16 --cluster abci --strategy data:16,filter:4 --batch 512",
    "estimate resnet50 --cluster abci --strategy data --gpus 64 --by transfer",
    "estimate vgg16 --cluster abci --strategy \"data:8,pipeline:4; micro_batches=16\" --timeline",
    "estimate resnet50 --cluster cloud-10gbe --strategy data:64 --explain",
    "estimate vgg16 --cluster abci --strategy data:8,pipeline:4 --format trace -o step.json"};
constexpr std::array<Option, 9> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"strategy", "STRATEGY",
     "mesh axes: \"data:16,filter:4\", \"conv*=data:32; fc*=filter:32\", with options after ';': "
     "micro_batches=16, schedule=gpipe, exchange=ring, \"bucket=50 MiB\", overlap=off, "
     "batch_norm=synchronized, fusion=off (see: oracle list strategies)",
     true},
    {"gpus", "N", "how many; fills an axis without a degree, as in \"data,filter:4\""},
    kByOption,
    {"timeline", "", "draw what runs when"},
    kExplainOption,
    {"memory", "", "say where memory peaks, and draw its course"},
    {"launch", "", "the lines that start the job in its framework"},
    {"checkpoint-every", "N", "steps from one checkpoint to the next, priced by the storage"},
}};
constexpr std::array<Option, 4> kOutput =
    output_options("table|json|csv|trace", "format of the answer (table); trace: for Perfetto");
constinit const std::array<OptionGroup, 8> kGroups = {{{"what", kOwn},
                                                       {"training", kTrainingOptions},
                                                       {"", kFrameworkOptions},
                                                       {"run", kRunOptions},
                                                       {"input", kStorageOptions},
                                                       {"machine", kMachineOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutput}}};

constexpr std::int64_t kMostSteps = 1'000'000'000;

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  const auto strategy = read_strategy("strategy", arguments.text("strategy", ""), problems);
  const auto gpus = read_count(arguments, "gpus", kMaxRanks, problems);
  const BatchOption batch = read_batch(arguments, problems);
  Training training = read_training(arguments, problems);
  report::EvaluationView view{read_choice(arguments, "by", kBy, problems),
                              arguments.has("timeline"), arguments.has("memory")};
  view.columns = progress.columns;
  view.trace = arguments.text("format", "") == "trace";
  const auto graph = read_graph(arguments, 0, problems);
  if (graph) view.run = read_run(arguments, *graph, problems);
  std::optional<DataSet> data;
  if (view.run && arguments.has("dataset")) data = load_data_set(arguments.text("dataset", ""));
  StorageRequest asked = read_storage_options(arguments, graph ? &*graph : nullptr, data, problems);
  asked.checkpoint_every =
      read_count(arguments, "checkpoint-every", kMostSteps, problems).value_or(0);
  auto cluster = read_cluster_option(arguments, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  require_format(training, *cluster);
  training.run_by(read_framework(arguments, *cluster, profile));
  learn_pace(arguments, *graph, training, profile, *cluster);
  for (const char* option : {"workers", "checkpoint-every"}) {
    require_rates(option, arguments, profile);
  }

  report::Subject subject = subject_of(arguments, *graph, *cluster);
  if (asked.reading) report::assume(asked.reading->storage, subject);
  const Strategy whole = complete(parse_strategy(with_default_options(
                                      arguments.text("strategy", ""), training.framework.options)),
                                  gpus);
  training.batch = batch.on(whole.ranks(), subject);
  const Evaluation evaluation =
      evaluate(*graph, *cluster, profile, whole, training, Detail::events);
  subject.accuracy = accuracy_line(evaluation, *cluster, profile);
  std::optional<Sensitivity> found;
  if (arguments.has("explain") && evaluation.fits()) {
    found = sensitivity(*graph, *cluster, profile, evaluation);
    view.sensitivity = &*found;
  }
  const auto storage = storage_costs({*graph, *cluster, profile}, evaluation, asked);
  if (storage) view.storage = &*storage;
  report::Document document = report::evaluation_report(subject, evaluation, view);
  if (arguments.has("launch") && evaluation.fits()) {
    report::add_before_assumptions(launch_notes(evaluation, *cluster), document);
  }
  return {std::move(document), evaluation.fits() ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kEstimateCommand = {
    "estimate", kWords,  "what one strategy costs, whether it fits, what limits it",
    kExamples,  kGroups, answer};

}  // namespace oracle::cli
