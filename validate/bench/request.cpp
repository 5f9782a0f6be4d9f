#include "validate/bench/request.h"

#include <array>

#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostRounds = 1000;

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 2> kExamples = {
    "resnet50 --batch 8", "vgg16 --input 3x64x64 --batch 1 --rounds 1 --out step.json"};
constexpr std::array<cli::Option, 10> kOwn = {{
    {"batch", "B", "samples per step (1)"},
    {"rounds", "N", "times that each measurement is taken, in turn (5)"},
    {"repeats", "N", "runs of each pass alone in a round, of which the shortest counts (3)"},
    {"least-step-rate", "X", "target: the step's rate, in units of oneDNN's best"},
    {"least-rate", "X", "target: the rate over convolutions and dense layers, likewise"},
    {"most-rest", "X", "target: share of the step that everything else may take"},
    {"least-speed", "X", "target: speed in units of the other program's"},
    {"beside", "PREFIX", "pipes PREFIX.ask and PREFIX.answer to a program that steps in turn"},
    {"out", "FILE", "where the result goes, as JSON"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 2> kGroups = {
    {{"benchmark", kOwn}, {"network", cli::kModelOptions}}};

}  // namespace

const cli::Command& step_bench_command() {
  static constinit const cli::Command kCommand{
      "",
      kWords,
      "Times the serial training step on one core, next to oneDNN alone on its shapes.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-bench-step"};
  return kCommand;
}

StepBenchRequest read_step_bench_request(std::span<const char* const> args) {
  const cli::Arguments arguments(step_bench_command(), args);
  cli::ProblemList problems;
  StepBenchRequest request;
  auto graph = cli::read_graph(arguments, 0, problems);
  const auto count = [&](std::string_view option, std::int64_t most, std::int64_t fallback) {
    return cli::read_count(arguments, option, most, problems).value_or(fallback);
  };
  request.batch = count("batch", cli::kMostBatch, request.batch);
  request.rounds = count("rounds", kMostRounds, request.rounds);
  request.repeats = count("repeats", kMostRounds, request.repeats);
  const auto bar = [&](std::string_view option) {
    return cli::read_positive(arguments, option, "0.65", problems);
  };
  request.bars = {bar("least-step-rate"), bar("least-rate"), bar("most-rest"), bar("least-speed")};
  problems.raise();
  request.graph = std::move(*graph);
  if (const std::string* prefix = arguments.find("beside")) request.beside = *prefix;
  if (const std::string* out = arguments.find("out")) request.out = *out;
  return request;
}

}  // namespace oracle
