#include <array>
#include <string_view>

#include "oracle/accuracy/profile_comparison.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/report/profile_comparison_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"BASELINE", "CONTENDER"};
constexpr std::array<std::string_view, 3> kExamples = {
    "compare prediction.json run.json", "compare run-before.json run.json --by layer --format csv",
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
    "prediction (oracle estimate --format json)";

const Kind& kind_of(const std::string& file) {
  const json::Document document = json::read(file);
  const json::Node* schema = document.root.find("schema");
  const std::string said = schema != nullptr ? schema->string : std::string();
  for (const Kind& kind : kKinds) {
    if (kind.schema == said) return kind;
  }
  throw InputError(
      file, said.empty() ? "says no schema" : "is of schema " + in_quotes(said) + ", not compared",
      std::string(kAlike));
}

/// Whether both are profiles, which the engine alone compares. Throws InputError where one is.
bool both_are_profiles(const Arguments& arguments) {
  const Kind& baseline = kind_of(arguments.word(0));
  const Kind& contender = kind_of(arguments.word(1));
  if (baseline.profile == contender.profile) return baseline.profile;
  throw InputError(arguments.word(1),
                   "is " + std::string(contender.what) + ", and " + arguments.word(0) + " is " +
                       std::string(baseline.what) + ": only like is compared with like",
                   std::string(kAlike));
}

double read_bar(const Arguments& arguments) {
  ProblemList problems;
  for (const char* option : {"warmup", "by"}) {
    if (arguments.has(option)) {
      problems.add("--" + std::string(option), "goes with runs alone", "leave it out");
    }
  }
  const std::string* text = arguments.find("bar");
  const auto bar =
      problems.attempt("--bar", [&] { return text == nullptr ? kRepeatBar : parse_share(*text); });
  problems.raise();
  return *bar;
}

Answer answer(const Arguments& arguments, const Progress&) {
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
    .text = "compares a run with an estimate as JSON or an earlier run, or two profiles",
    .examples = kExamples,
    .groups = kGroups,
    .answer = answer,
    .carried_out_by = "oracle-validate",
    .answered_here = both_are_profiles};

}  // namespace oracle::cli
