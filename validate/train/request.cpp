#include "validate/train/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostSeconds = 1'000'000;
constexpr std::int64_t kDefaultWatchdog = 60;

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 2> kExamples = {
    "alexnet --strategy data:2 --batch 8 --steps 5 --check",
    "resnet50 --input 3x64x64 --strategy data:2,filter:2 --batch 8 --out run.json"};
constexpr std::array<cli::Option, 10> kOwn = {{
    {"strategy", "TEXT", "how the network is cut; as many ranks as are started (serial)"},
    {"cluster", "NAME", "cluster that the plan is made for (here)"},
    {"steps", "N", "training steps (10)"},
    {"rate", "R", "learning rate (0.01)"},
    {"seed", "S", "of weights, data and dropout (1)"},
    {"threads", "N", "threads of each rank (1)"},
    {"check", "", "train serially too and compare loss and gradients"},
    {"watchdog", "SECONDS", "how long a rank may be silent (60)"},
    {"out", "FILE", "where the result goes, as JSON"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 3> kGroups = {
    {{"training", kOwn}, {"network", cli::kModelOptions}, {"batch", cli::kTrainingOptions}}};

/// A decimal number above 0.
double read_rate(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value) &&
      value > 0) {
    return value;
  }
  throw InputError("--rate", in_quotes(text) + " is no learning rate",
                   "write a number above 0, such as 0.01");
}

/// One rank's cores are the machine's, shared by as many ranks as were asked for.
Cluster shared_by(Cluster cluster, std::int64_t ranks) {
  while (cluster.ranks() < ranks) ++cluster.ranks_per_device;
  return cluster;
}

void check_precision(const Training& training, cli::ProblemList& problems) {
  if (training.precision.name == "fp32") return;
  problems.add(
      "--precision",
      "training runs in fp32 here, and " + std::string(training.precision.name) + " was asked for",
      "leave the option out");
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

double watchdog_seconds(std::span<const char* const> args) {
  try {
    const cli::Arguments arguments(train_command(), args);
    if (const std::string* text = arguments.find("watchdog")) {
      return static_cast<double>(parse_count(*text, 1, kMostSeconds));
    }
  } catch (const std::exception&) {
    return kDefaultWatchdog;
  }
  return kDefaultWatchdog;
}

TrainRequest read_request(std::span<const char* const> args) {
  const cli::Arguments arguments(train_command(), args);
  cli::ProblemList problems;
  TrainRequest request;
  auto graph = cli::read_graph(arguments, 0, problems);
  const auto strategy =
      cli::read_strategy("strategy", arguments.text("strategy", "serial"), problems);
  request.training = cli::read_training(arguments, problems);
  check_precision(request.training, problems);
  const cli::BatchOption batch = cli::read_batch(arguments, problems);
  const auto count = [&](std::string_view option, std::int64_t most, std::int64_t fallback) {
    return cli::read_count(arguments, option, most, problems).value_or(fallback);
  };
  request.steps = count("steps", kMostSteps, request.steps);
  request.seed = static_cast<std::uint64_t>(count("seed", kMostSteps, 1));
  request.threads = static_cast<int>(count("threads", kMostThreads, 1));
  count("watchdog", kMostSeconds, kDefaultWatchdog);
  if (const std::string* rate = arguments.find("rate")) {
    request.rate = problems.attempt("--rate", [&] { return read_rate(*rate); }).value_or(0);
  }
  const auto cluster = problems.attempt(
      "--cluster", [&] { return load_cluster(arguments.text("cluster", "here")); });
  problems.raise();
  request.graph = std::move(*graph);
  request.strategy = *strategy;
  const std::int64_t ranks = request.strategy.ranks();
  request.cluster = arguments.has("cluster") ? *cluster : shared_by(*cluster, ranks);
  report::Subject subject{request.graph, request.cluster, {}};
  request.training.batch = batch.on(ranks, subject);
  request.check = arguments.has("check");
  if (const std::string* out = arguments.find("out")) request.out = *out;
  return request;
}

}  // namespace oracle
