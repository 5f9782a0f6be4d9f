#include "validate/command/view.h"

#include <array>

#include "oracle/cli/request.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::array<std::pair<std::string_view, ByItem>, 3> kBy = {
    {{"", ByItem::none}, {"layer", ByItem::layer}, {"transfer", ByItem::transfer}}};

}  // namespace

View read_view(const cli::Arguments& arguments) {
  cli::ProblemList problems;
  View view;
  view.by = cli::read_choice(arguments, "by", kBy, problems);
  if (const std::string* text = arguments.find("warmup")) {
    view.warm_up =
        problems.attempt("--warmup", [&] { return parse_count(*text, 0, kMostSteps); }).value_or(0);
  }
  if (arguments.has("bar")) {
    problems.add("--bar", "goes with two profiles alone", "leave it out");
  }
  problems.raise();
  return view;
}

cli::Answer answer_of(const Prediction& prediction, const Measurement& run, const View& view) {
  const RunComparison comparison = compare(prediction, run, view.warm_up);
  return {comparison_report(comparison, prediction, run, view.by),
          promises_hold(comparison, run) ? ExitCode::answered : ExitCode::no};
}

}  // namespace oracle
