#include "validate/train/request.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "oracle/base/error.h"
#include "oracle/base/quantity_text.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"
#include "oracle/evaluate/balance.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

using Words = std::span<const char* const>;

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostWorkers = 1024;
constexpr std::int64_t kMostSeconds = 1'000'000;
constexpr std::int64_t kDefaultWatchdog = 60;
constexpr std::int64_t kMostCandidates = 1'000'000;

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 4> kExamples = {
    "alexnet --strategy data:2 --batch 8 --steps 5 --check",
    "resnet50 --input 3x64x64 --strategy data:2,filter:2 --batch 8 --out run.json",
    "--plan plan.json --steps 50 --out run.json",
    "resnet50 --input 3x64x64 --classes 5 --data photos.tar --workers 2"};
constexpr std::array<cli::Option, 21> kOwn = {{
    {"plan", "FILE", "train what an oracle estimate or plan answered in JSON; in place of MODEL"},
    {"candidate", "N", "of what an oracle plan ranked (the one that it recommends)"},
    {"strategy", "TEXT", "the strategy; as many ranks as are started (serial)"},
    {"gpus", "N", "how many ranks; fills an axis without a degree, as in \"data,filter:2\""},
    {"cluster", "NAME", "cluster that the plan is made for (here)"},
    {"device", "NAME", "what trains: cpu or gpu (cpu)"},
    {"ranks-per-gpu", "N", "ranks that share a GPU (where there are fewer GPUs, all share them)"},
    {"steps", "N", "training steps (10)"},
    {"warmup", "N", "steps that are not timed (1)"},
    {"data", "PATH", "images to train on: class folders, or WebDataset tars (a generated set)"},
    {"workers", "N", "threads of each rank that read images ahead (1)"},
    {"rate", "R", "learning rate (0.01)"},
    {"rate-warmup", "N", "steps in which it rises to that (0)"},
    {"seed", "S", "of weights, data and dropout (1)"},
    {"threads", "N", "threads of each rank (1)"},
    {"check", "", "train serially too and compare loss and gradients"},
    {"noise-scale", "", "measure the noise scale of gradients, which tells the critical batch"},
    {"graph", "",
     "replay steps after the warm-up from a recording (CUDA graph); one rank on a GPU"},
    {"watchdog", "SECONDS", "how long a rank may make no progress (60)"},
    {"out", "FILE", "where the result goes, as JSON"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 4> kGroups = {
    {{"training", kOwn},
     {"checkpoints", cli::kCheckpointOptions},
     {"network", cli::kModelOptions},
     {"batch", cli::kTrainingOptions}}};

/// One rank's cores are the machine's, shared by as many ranks as were asked for.
Cluster shared_by(Cluster cluster, std::int64_t ranks) {
  while (cluster.ranks() < ranks) ++cluster.ranks_per_device;
  return cluster;
}

/// Of a GPU that no one describes nothing is known that would refuse a plan: it has what computes
/// in every format, until it says otherwise itself. What its kernels fuse is known.
Cluster of_undescribed_gpu(Cluster here) {
  Device& device = here.device;
  device.device_class = DeviceClass::gpu;
  device.fusions = fusions_of_kernels(DeviceClass::gpu);
  const FlopRate known = device.peak[static_cast<std::size_t>(DataType::fp32)];
  for (FlopRate& peak : device.peak) peak = std::max(peak, known);
  return here;
}

/// The machine that is planned for where none is named.
Cluster undescribed(const Cluster& here, const TrainDevice& device, std::int64_t ranks) {
  const Cluster shared = shared_by(here, ranks);
  return device.name == "gpu" ? of_undescribed_gpu(shared) : shared;
}

DeviceSharing read_sharing(const cli::Arguments& arguments, const TrainDevice& device,
                           bool partitioned, cli::ProblemList& problems) {
  const auto ranks = cli::read_count(arguments, "ranks-per-gpu", kMostRanksPerGpu, problems);
  if (!ranks) return {};
  if (device.name != "gpu") {
    problems.add("--ranks-per-gpu", "goes with a GPU", "add --device gpu, or leave it out");
  }
  return {*ranks, partitioned};
}

/// "fp32, tf32 or bf16"
std::string listed(std::span<const std::string_view> names) {
  std::string text(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  }
  return text;
}

void check_precision(const TrainRequest& request, cli::ProblemList& problems) {
  const std::string_view wanted = request.training.precision.name;
  const std::span<const std::string_view> known = request.device.precisions;
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return;
  const bool on_gpu = request.device.name == "gpu";
  problems.add("--precision",
               std::string(on_gpu ? "a GPU" : "a processor") + " trains in " + listed(known) +
                   " here, and " + std::string(wanted) + " was asked for",
               on_gpu ? "leave the option out" : "leave the option out, or add --device gpu");
}

void check_optimizer(const TrainRequest& request, cli::ProblemList& problems) {
  const Optimizer& wanted = request.training.optimizer;
  constexpr std::array<std::string_view, 3> kKnown = {"sgd", "momentum", "adam"};
  if (std::find(kKnown.begin(), kKnown.end(), wanted.name) != kKnown.end()) return;
  problems.add("--optimizer",
               "moments are kept in fp32 here, and " + std::string(wanted.name) + " was asked for",
               "write --optimizer adam");
}

/// What a plan file answers in place of the command line.
constexpr std::array<std::string_view, 10> kOfThePlan = {
    "strategy",  "gpus",      "cluster", "batch",   "batch-per-gpu",
    "precision", "optimizer", "input",   "classes", "skip-unknown"};

bool is_of_the_plan(std::string_view option) {
  return std::find(kOfThePlan.begin(), kOfThePlan.end(), option) != kOfThePlan.end();
}

bool names_a_plan(Words args) {
  for (const std::string_view word : args) {
    if (word == "--") return false;
    if (word == "--plan" || word.starts_with("--plan=")) return true;
  }
  return false;
}

/// The same command where --plan takes the place of MODEL.
cli::Command without_model() {
  cli::Command command = train_command();
  command.words = {};
  return command;
}

cli::Arguments arguments_of(Words args) {
  return names_a_plan(args) ? cli::Arguments(without_model(), args)
                            : cli::Arguments(train_command(), args);
}

/// Those of the plan, then those of the command line that say how it is to be run.
std::vector<std::string> merged_words(const cli::Arguments& arguments, const PlanFile& plan) {
  cli::ProblemList problems;
  std::vector<std::string> words;
  cli::for_each_option(train_command(), [&](const cli::Option& option) {
    const std::string* value = arguments.find(option.name);
    if (value == nullptr || option.name == "plan" || option.name == "candidate") return;
    const std::string name = "--" + std::string(option.name);
    if (is_of_the_plan(option.name)) {
      problems.add(name, "is the plan's", "leave it out, or name a model in place of --plan");
    }
    words.push_back(option.argument.empty() ? name : name + "=" + *value);
  });
  problems.raise();
  words.insert(words.end(), plan.words.begin(), plan.words.end());
  return words;
}

/// Steps to warm up: fewer than there are.
std::int64_t read_warm_up(const cli::Arguments& arguments, std::int64_t steps,
                          cli::ProblemList& problems) {
  const std::string* text = arguments.find("warmup");
  if (text == nullptr) return std::min<std::int64_t>(1, steps - 1);
  const auto count =
      problems.attempt("--warmup", [&] { return parse_count(*text, 0, kMostSteps); });
  if (count && *count >= steps) {
    problems.add("--warmup", "leaves none of the " + std::to_string(steps) + " steps to be timed",
                 "give fewer, or more --steps");
  }
  return count.value_or(0);
}

/// Steps in which the rate rises: no more than there are.
std::int64_t read_rate_warm_up(const cli::Arguments& arguments, std::int64_t steps,
                               cli::ProblemList& problems) {
  const std::string* text = arguments.find("rate-warmup");
  if (text == nullptr) return 0;
  const auto count =
      problems.attempt("--rate-warmup", [&] { return parse_count(*text, 0, kMostSteps); });
  if (count && *count > steps) {
    problems.add("--rate-warmup", "is longer than the " + std::to_string(steps) + " steps",
                 "give fewer, or more --steps");
  }
  return count.value_or(0);
}

/// A serial run exchanges nothing.
void check_exchange(const TrainRequest& request, cli::ProblemList& problems) {
  const ChosenExchange exchange = chosen_exchange(request.strategy.exchange);
  if (exchange.row != nullptr && request.device.name == "gpu") {
    problems.add("--strategy",
                 "exchange=" + request.strategy.exchange + " is carried out by processors here",
                 "leave it out, or --device gpu");
  }
  if (request.steps - request.warm_up < exchange.period()) {
    problems.add("--steps",
                 "are " + std::to_string(request.steps) + ", of which " +
                     std::to_string(request.warm_up) +
                     " warm up, and exchange=" + request.strategy.exchange +
                     " averages weights in one of " + std::to_string(exchange.period()),
                 "write --steps " + std::to_string(request.warm_up + exchange.period()));
  }
  const bool sums = !exchange.averages() && request.strategy.waits_for_all();
  if (!request.check || (sums && !exchange.loses())) return;
  problems.add("--check",
               "compares gradients with a serial run's, which exchange=" +
                   request.strategy.exchange + " changes",
               "leave it out, and compare losses with those of exchange=auto");
}

/// Two batches with the same weights are needed, of which one is a part of the other.
void check_noise_scale(const TrainRequest& request, cli::ProblemList& problems) {
  if (!request.noise_scale) return;
  const auto refuse = [&](std::string why, std::string remedy) {
    problems.add("--noise-scale", std::move(why), std::move(remedy));
  };
  const Strategy& strategy = request.strategy;
  if (request.device.name == "gpu") {
    refuse("is measured on processors here", "leave it out, or --device gpu");
  }
  const bool shares_samples =
      strategy.rules.empty() && strategy.zero == 0 &&
      std::all_of(strategy.mesh.begin(), strategy.mesh.end(),
                  [](const MeshAxis& axis) { return axis.cut == Cut::sample || axis.degree == 1; });
  const bool sums = chosen_exchange(strategy.exchange).row == nullptr;
  if (!shares_samples || !sums || strategy.sums_each_micro_batch()) {
    refuse("compares a rank's own gradient with that of all ranks, and " + to_text(strategy) +
               " cuts more than samples, or does not sum whole gradients once a step",
           "write --strategy data:" + std::to_string(std::max<std::int64_t>(2, strategy.ranks())));
  } else if (strategy.ranks() == 1 && strategy.micro_batches < 2) {
    refuse("compares gradients of two batches, and one rank has one",
           "write --strategy data:4, or --strategy \"serial; micro_batches=4\"");
  } else if (const std::int64_t parts = std::max(strategy.ranks(), strategy.micro_batches);
             request.training.batch < parts) {
    refuse("leaves a rank or a micro-batch without samples, of which there are " +
               std::to_string(request.training.batch),
           "write --batch " + std::to_string(parts));
  }
}

/// Where the host has a part in a step, it cannot be replayed without it.
void check_graph(const TrainRequest& request, cli::ProblemList& problems) {
  if (!request.replays) return;
  const auto refuse = [&](std::string why, std::string_view remedy) {
    problems.add("--graph", std::move(why), std::string(remedy));
  };
  if (request.device.name != "gpu") {
    refuse("a processor's steps are not recorded", "leave it out, or add --device gpu");
  }
  if (request.strategy.ranks() > 1) {
    refuse("replays the step of one rank, and the strategy has " +
               std::to_string(request.strategy.ranks()) + ", whose messages need the host",
           "leave it out, or train serially");
  }
  if (request.training.precision.compute == DataType::fp16) {
    refuse("in fp16 the host looks at the gradients before weights move",
           "leave it out, or train in another precision");
  }
  if (request.data) refuse("the host brings images within the step", "leave out --data or --graph");
  if (steps_before_replay(request) >= request.steps) {
    refuse("leaves none of the " + std::to_string(request.steps) + " steps to be replayed: " +
               std::to_string(steps_before_replay(request)) + " come before",
           "give more --steps");
  }
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kCheckpointModes = {
    {{"synchronous", false}, {"asynchronous", true}}};

void read_checkpoints(const cli::Arguments& arguments, TrainRequest& request,
                      cli::ProblemList& problems) {
  if (const std::string* resume = arguments.find("resume")) request.resume = *resume;
  const auto every = cli::read_count(arguments, "checkpoint-every", kMostSteps, problems);
  const bool asynchronous =
      cli::read_choice(arguments, "checkpoint-mode", kCheckpointModes, problems);
  const std::string* folder = arguments.find("checkpoint");
  if (folder != nullptr) {
    request.checkpoints = CheckpointRequest{*folder, every.value_or(0), asynchronous};
  }
  for (const char* option : {"checkpoint-every", "checkpoint-mode"}) {
    if (folder != nullptr || !arguments.has(option)) continue;
    problems.add("--" + std::string(option), "no folder for checkpoints is given",
                 "add --checkpoint FOLDER");
  }
  const auto refuse = [&](const char* with, const char* why) {
    if (!arguments.has(with)) return;
    for (const char* option : {"checkpoint", "resume"}) {
      if (!arguments.has(option)) continue;
      problems.add("--" + std::string(option), why, "leave out one of them");
    }
  };
  refuse("graph", "does not go with --graph, whose steps are replayed on the memory of the first");
  for (const char* option : {"checkpoint", "resume"}) {
    if (!arguments.has(option) || has_shared_state(request.strategy)) continue;
    problems.add("--" + std::string(option),
                 "a checkpoint holds the state that ranks share, and with exchange=" +
                     request.strategy.exchange + " each has some of its own",
                 "leave it out, or exchange=");
  }
  if (request.resume && arguments.has("check")) {
    problems.add("--resume", "does not go with --check, whose serial run begins at the first step",
                 "leave out one of them");
  }
}

TrainRequest read_named(const cli::Arguments& arguments, bool partitioned) {
  cli::ProblemList problems;
  if (arguments.has("candidate")) {
    problems.add("--candidate", "is one of a plan's, and no plan is given", "add --plan FILE");
  }
  TrainRequest request;
  auto graph = cli::read_graph(arguments, 0, problems);
  const auto strategy =
      cli::read_strategy("strategy", arguments.text("strategy", "serial"), problems);
  const auto gpus = cli::read_count(arguments, "gpus", kMaxRanks, problems);
  request.training = cli::read_training(arguments, problems);
  if (const auto device = problems.attempt(
          "--device", [&] { return device_named(arguments.text("device", "cpu")); })) {
    request.device = *device;
  }
  check_precision(request, problems);
  check_optimizer(request, problems);
  request.sharing = read_sharing(arguments, request.device, partitioned, problems);
  const cli::BatchOption batch = cli::read_batch(arguments, problems);
  const auto count = [&](std::string_view option, std::int64_t most, std::int64_t fallback) {
    return cli::read_count(arguments, option, most, problems).value_or(fallback);
  };
  request.steps = count("steps", kMostSteps, request.steps);
  request.warm_up = read_warm_up(arguments, request.steps, problems);
  request.seed = static_cast<std::uint64_t>(count("seed", kMostSteps, 1));
  request.threads = static_cast<int>(count("threads", kMostThreads, 1));
  request.watchdog = static_cast<double>(count("watchdog", kMostSeconds, kDefaultWatchdog));
  request.rate = cli::read_positive(arguments, "rate", "0.01", problems).value_or(request.rate);
  request.rate_warm_up = read_rate_warm_up(arguments, request.steps, problems);
  if (const std::string* workers = arguments.find("workers")) {
    request.workers = static_cast<int>(
        problems.attempt("--workers", [&] { return parse_count(*workers, 0, kMostWorkers); })
            .value_or(1));
  }
  const auto cluster = problems.attempt(
      "--cluster", [&] { return load_cluster(arguments.text("cluster", "here")); });
  problems.raise();
  request.graph = std::move(*graph);
  request.strategy = cli::complete(*strategy, gpus);
  const std::int64_t ranks = request.strategy.ranks();
  request.cluster =
      arguments.has("cluster") ? *cluster : undescribed(*cluster, request.device, ranks);
  if (request.sharing.ranks > 1) {
    request.cluster = with_shared_devices(request.cluster, request.sharing, ranks);
  }
  report::Subject subject{request.graph, request.cluster, {}};
  request.training.batch = batch.on(ranks, subject);
  // The stages that the prediction has: of the same profile.
  const std::string machine = arguments.text("cluster", "here");
  const Profile profile = request.sharing.ranks > 1 ? Profile{} : load_profile(machine);
  request.strategy =
      with_stages({request.graph, request.cluster, profile}, request.strategy, request.training);
  request.check = arguments.has("check");
  request.noise_scale = arguments.has("noise-scale");
  if (const std::string* data = arguments.find("data")) request.data = *data;
  if (const std::string* out = arguments.find("out")) request.out = *out;
  request.replays = arguments.has("graph");
  read_checkpoints(arguments, request, problems);
  check_graph(request, problems);
  check_exchange(request, problems);
  check_noise_scale(request, problems);
  problems.raise();
  return request;
}

/// Problems of words that a plan file holds are the file's.
TrainRequest read_planned(const cli::Arguments& arguments, bool partitioned) {
  cli::ProblemList asked;
  const auto candidate = cli::read_count(arguments, "candidate", kMostCandidates, asked);
  asked.raise();
  PlanFile plan = read_plan_file(arguments.text("plan", ""), candidate);
  const std::vector<std::string> words = merged_words(arguments, plan);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  TrainRequest request;
  try {
    request = read_named(cli::Arguments(train_command(), pointers), partitioned);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      const bool typed = problem.place.starts_with("--") && arguments.has(problem.place.substr(2));
      if (!typed) problem.place = plan.name + ": " + problem.place;
    }
    throw InputError(std::move(problems));
  }
  request.plan = std::move(plan);
  return request;
}

}  // namespace

const cli::Command& train_command() {
  static constinit const cli::Command kCommand{
      "",
      kWords,
      "Trains with the plan that oracle prices, one process per rank.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-train"};
  return kCommand;
}

TrainDevice training_device(Words args) {
  try {
    return device_named(arguments_of(args).text("device", "cpu"));
  } catch (const std::exception&) {
    return device_named("cpu");
  }
}

double watchdog_seconds(Words args) {
  try {
    const cli::Arguments arguments = arguments_of(args);
    if (const std::string* text = arguments.find("watchdog")) {
      return static_cast<double>(parse_count(*text, 1, kMostSeconds));
    }
  } catch (const std::exception&) {
    return kDefaultWatchdog;
  }
  return kDefaultWatchdog;
}

std::optional<std::int64_t> ranks_per_gpu(Words args) {
  try {
    const cli::Arguments arguments = arguments_of(args);
    if (const std::string* text = arguments.find("ranks-per-gpu")) {
      return parse_count(*text, 1, kMostRanksPerGpu);
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

// The first one looks for algorithms and makes the optimizer's state out of memory that the second
// asks for again; a third finds all that it needs (step_replay.h).
std::int64_t steps_before_replay(const TrainRequest& request) {
  return std::max<std::int64_t>(request.warm_up, 2) + 1;
}

bool has_part_of_gpu() { return std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") != nullptr; }

TrainRequest read_request(Words args, bool partitioned) {
  const cli::Arguments arguments = arguments_of(args);
  return arguments.has("plan") ? read_planned(arguments, partitioned)
                               : read_named(arguments, partitioned);
}

}  // namespace oracle
