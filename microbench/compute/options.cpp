#include <array>
#include <istream>

#include "microbench/compute/program.h"
#include "oracle/base/error.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"

namespace oracle {
namespace {

constexpr std::size_t kMostCases = 100'000;
constexpr std::int64_t kMostThreads = 1024;

constexpr std::array<std::string_view, 2> kExamples = {
    "--quick --out samples.json", "--cases layers.txt --backend gpu-bf16 --out samples.json"};
constexpr std::array<cli::Option, 7> kOwn = {{
    {"out", "FILE", "the samples, for oracle calibrate --from", true},
    {"cases", "FILE", "layers, one a line, such as add 1:16x4x4+16x4x4 (a grid of shapes)"},
    {"backend", "NAME", "whose kernels: cpu, gpu, gpu-tf32, gpu-bf16 or gpu-fp16 (cpu)"},
    {"threads", "N", "of a processor's kernels (1)"},
    {"seconds", "S", "for everything (500; with --quick 44)"},
    {"quick", "", "a smaller grid, less of each"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 1> kGroups = {{{"measuring", kOwn}}};

}  // namespace

const cli::Command& bench_command() {
  static constinit const cli::Command kCommand{
      "",
      {},
      "Times a device's kernels, layer by layer. oracle calibrate starts it.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-bench"};
  return kCommand;
}

BenchRequest read_bench_request(std::span<const char* const> words) {
  const cli::Arguments arguments(bench_command(), words);
  cli::ProblemList problems;
  BenchRequest request;
  request.out = arguments.text("out", "");
  if (arguments.has("quick")) request.size = GridSize::quick;
  if (const std::string* cases = arguments.find("cases")) request.cases = *cases;
  request.backend = arguments.text("backend", request.backend);
  request.threads =
      static_cast<int>(cli::read_count(arguments, "threads", kMostThreads, problems).value_or(1));
  request.seconds = cli::read_seconds(arguments, "seconds", problems);
  problems.raise();
  return request;
}

std::vector<LayerCase> read_cases(std::istream& in, const std::string& name) {
  std::vector<LayerCase> cases;
  std::vector<Problem> problems;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::string place = name + ":" + std::to_string(number);
    if (cases.size() == kMostCases) {
      problems.push_back({place, "more cases than can be timed", "leave some out"});
      break;
    }
    try {
      cases.push_back(parse_layer_case(line));
      static_cast<void>(layer_of(cases.back()));
    } catch (const InputError& error) {
      for (Problem problem : error.problems()) {
        problem.place = place;
        problems.push_back(std::move(problem));
      }
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return cases;
}

}  // namespace oracle
