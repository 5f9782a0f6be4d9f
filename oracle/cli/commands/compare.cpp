#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "oracle/accuracy/profile_comparison.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/cluster/device_name.h"
#include "oracle/io/predictions/prediction_reader.h"
#include "oracle/io/traces/kineto_reader.h"
#include "oracle/record/trace_comparison.h"
#include "oracle/report/profile_comparison_report.h"
#include "oracle/report/trace_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"BASELINE", "CONTENDER"};
constexpr std::array<std::string_view, 4> kExamples = {
    "compare prediction.json run.json", "compare prediction.json trace.json",
    "compare run-before.json run.json --by layer --format csv",
    "compare here.json again.json --bar 5%"};
constexpr std::array<Option, 3> kOwn = {{
    {"warmup", "N", "of runs: steps that are not timed (1)"},
    {"by", "layer|transfer", "of runs: break the step down"},
    {"bar", "PERCENT", "of profiles: a difference that counts as none (3%)"},
}};
constinit const std::array<OptionGroup, 2> kGroups = {{{"what", kOwn}, {"output", kOutputOptions}}};

/// What may be compared, by what a file says of itself. Predictions and runs are read by the
/// program that trains.
struct Kind {
  std::string_view schema;
  std::string_view what;
  bool profile = false;
};
constexpr std::array<Kind, 3> kKinds = {{{"oracle/profile/1", "a profile", true},
                                         {"oracle/evaluation/1", "a prediction"},
                                         {"oracle/run/1", "a run"}}};
constexpr std::string_view kAlike =
    "give two profiles (oracle calibrate), or a run (oracle validate --out) and a run or a "
    "prediction (oracle estimate --format json), or a prediction and a trace of torch.profiler";

const Kind& kind_of(const json::Document& document) {
  const json::Node* schema = document.root.find("schema");
  const std::string said = schema != nullptr ? schema->string : std::string();
  for (const Kind& kind : kKinds) {
    if (kind.schema == said) return kind;
  }
  throw InputError(
      document.name,
      said.empty() ? "says no schema" : "is of schema " + in_quotes(said) + ", not compared",
      std::string(kAlike));
}

bool are_prediction_and_trace(const Arguments& arguments) {
  if (is_kineto_trace(arguments.word(0))) {
    throw InputError(arguments.word(0), "is a trace, which is compared with a prediction",
                     "write oracle compare prediction.json trace.json");
  }
  return is_kineto_trace(arguments.word(1));
}

/// Whether both are profiles. Throws InputError where one is.
bool both_are_profiles(const Arguments& arguments) {
  const Kind& baseline = kind_of(json::read(arguments.word(0)));
  const Kind& contender = kind_of(json::read(arguments.word(1)));
  if (baseline.profile == contender.profile) return baseline.profile;
  throw InputError(arguments.word(1),
                   "is " + std::string(contender.what) + ", and " + arguments.word(0) + " is " +
                       std::string(baseline.what) + ": only like is compared with like",
                   std::string(kAlike));
}

/// Options that go with runs alone.
constexpr std::array<std::string_view, 2> kOfRuns = {"warmup", "by"};

/// Profiles and traces, which the engine alone compares.
bool answered_here(const Arguments& arguments) {
  return are_prediction_and_trace(arguments) || both_are_profiles(arguments);
}

void refuse_options(const Arguments& arguments, std::span<const std::string_view> options,
                    const char* with) {
  ProblemList problems;
  for (const std::string_view option : options) {
    if (!arguments.has(option)) continue;
    problems.add("--" + std::string(option), "goes with " + std::string(with) + " alone",
                 "leave it out");
  }
  problems.raise();
}

/// A note where the described device cannot be looked up. Throws InputError where it is another.
std::optional<std::string> device_note(const Prediction& prediction, const Trace& trace,
                                       const std::string& name) {
  if (trace.device.empty()) return "the trace does not name its GPU, which may be another one";
  std::string described;
  try {
    described = load_cluster(prediction.asked.cluster).device.name;
  } catch (const std::runtime_error&) {
    return "the description of " + prediction.asked.cluster +
           " is not at hand: its device was not compared with " + trace.device;
  }
  if (may_be_one_model(described, trace.device)) return std::nullopt;
  throw InputError(name,
                   "was recorded on " + trace.device + ", and " + described + " was predicted",
                   "estimate on a cluster of what ran: oracle list clusters, oracle new cluster");
}

Answer compare_trace(const Arguments& arguments) {
  constexpr std::array<std::string_view, 1> kOfProfiles = {"bar"};
  refuse_options(arguments, kOfRuns, "runs");
  refuse_options(arguments, kOfProfiles, "profiles");
  const json::Document document = json::read(arguments.word(0));
  if (kind_of(document).schema != kEvaluationSchema) {
    throw InputError(arguments.word(0), "is not a prediction, and a trace is compared with one",
                     "write it with oracle estimate --format json");
  }
  const Prediction prediction = read_evaluation(document);
  const std::string& name = arguments.word(1);
  const Trace trace = load_kineto(name);
  const auto note = device_note(prediction, trace, name);
  TraceComparison comparison = compare(prediction, trace, name);
  if (note) comparison.notes.push_back(*note);
  return {report::trace_report(comparison, prediction, trace)};
}

double read_bar(const Arguments& arguments) {
  refuse_options(arguments, kOfRuns, "runs");
  ProblemList problems;
  const std::string* text = arguments.find("bar");
  const auto bar =
      problems.attempt("--bar", [&] { return text == nullptr ? kRepeatBar : parse_share(*text); });
  problems.raise();
  return *bar;
}

Answer answer(const Arguments& arguments, const Progress&) {
  if (are_prediction_and_trace(arguments)) return compare_trace(arguments);
  const double bar = read_bar(arguments);
  const ProfileFile baseline = read_profile(json::read(arguments.word(0)));
  const ProfileFile contender = read_profile(json::read(arguments.word(1)));
  const ProfileComparison comparison = compare_profiles(
      {baseline.cluster, baseline.profile}, {contender.cluster, contender.profile}, bar);
  return {report::profile_comparison_report(comparison, {arguments.word(0), arguments.word(1)}),
          comparison.whole.verdict == Verdict::equal ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kCompareCommand = {
    .name = "compare",
    .words = kWords,
    .text = "compares a run or a PyTorch trace with an estimate as JSON, two runs, or two profiles",
    .examples = kExamples,
    .groups = kGroups,
    .answer = answer,
    .carried_out_by = "oracle-train",
    .answered_here = answered_here};

}  // namespace oracle::cli
