#include "oracle/cli/training_length.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cli/request.h"
#include "oracle/io/budget/convergence_reader.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/io/data_path.h"

namespace oracle::cli {
namespace {

constexpr std::string_view kOwnPoints =
    "give --epochs, or own points by --convergence FILE (see: oracle list targets)";

/// "75.9 %" as "75.9%".
std::string squeezed(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Those of the asked target, data set or both.
bool is_asked(const Convergence& convergence, const Arguments& arguments) {
  const std::string* target = arguments.find("target");
  const std::string* data = arguments.find("dataset");
  return (target == nullptr || squeezed(*target) == squeezed(convergence.target)) &&
         (data == nullptr || *data == convergence.dataset);
}

[[noreturn]] void refuse_target(const Arguments& arguments, const Graph& graph,
                                const std::vector<Convergence>& known) {
  std::string targets;
  for (const Convergence& each : known) {
    targets +=
        (targets.empty() ? "" : "; ") + each.target + " " + each.metric + " on " + each.dataset;
  }
  const bool asked = arguments.has("target");
  throw InputError(asked ? "--target" : "--dataset",
                   "no points of " + in_quotes(graph.name) + " are published for " +
                       in_quotes(arguments.text(asked ? "target" : "dataset", "")),
                   "known: " + targets + "; or " + std::string(kOwnPoints));
}

/// Throws InputError where no file has what was asked for, or several do.
Convergence find_convergence(const Arguments& arguments, const Graph& graph) {
  std::vector<Convergence> known;
  if (const std::string* name = arguments.find("convergence")) {
    known.push_back(load_convergence(*name));
  } else {
    known = convergence_of(graph.name);
  }
  if (known.empty()) {
    throw InputError("--target",
                     "no points of " + in_quotes(graph.name) +
                         " are published, so the data until a target is not known",
                     std::string(kOwnPoints));
  }
  std::vector<Convergence> asked;
  std::copy_if(known.begin(), known.end(), std::back_inserter(asked),
               [&](const Convergence& each) { return is_asked(each, arguments); });
  if (asked.empty()) refuse_target(arguments, graph, known);
  if (asked.size() > 1) {
    std::vector<std::string> targets;
    for (const Convergence& each : asked) targets.push_back(each.target);
    throw InputError("--target", "several are published", suggestion("", targets));
  }
  return asked.front();
}

/// A batch of longer texts is another batch.
void require_sequence(const Convergence& convergence, std::int64_t sequence) {
  if (convergence.sequence == 0 || convergence.sequence == sequence) return;
  const std::string wanted = std::to_string(convergence.sequence);
  throw InputError("--sequence",
                   "the points of " + in_quotes(convergence.id) + " are of texts of " + wanted +
                       " tokens, not " + std::to_string(sequence),
                   "give --sequence " + wanted);
}

AskedLength until_target(const Arguments& arguments, const Graph& graph) {
  const std::int64_t sequence = graph[0].output[Axis::sequence];
  AskedLength asked;
  asked.convergence = in_samples(find_convergence(arguments, graph), sequence);
  require_sequence(*asked.convergence, sequence);
  asked.length.amount = fit_law(asked.convergence->points);
  if (asked.convergence->unit == DataUnit::epochs || arguments.has("dataset")) {
    asked.data_set = load_data_set(arguments.text("dataset", asked.convergence->dataset));
  }
  if (asked.convergence->unit == DataUnit::epochs) {
    asked.length.epoch_samples = asked.data_set->samples_of(sequence);
  }
  return asked;
}

/// What contradicts a length that was asked for.
void refuse_targets(const Arguments& arguments, ProblemList& problems) {
  for (const char* option : {"target", "convergence"}) {
    if (!arguments.has(option)) continue;
    problems.add("--" + std::string(option), "contradicts --epochs and --tokens",
                 "give either a target or a length");
  }
}

}  // namespace

constinit const std::array<Option, 3> kTargetOptions = {{
    {"target", "VALUE", "trained until it is reached: 75.9% (what is published of the network)"},
    {"convergence", "NAME",
     "points of data by batch that the target takes, or their file (those of the network)"},
    {"critical-batch", "N",
     "that needs twice the --epochs or --tokens of small ones: the noise scale that oracle-train "
     "--noise-scale measures"},
}};

namespace {

constexpr std::int64_t kMostCriticalBatch = 1'000'000'000'000;

/// `amount`, or what large batches need where small ones need that.
std::variant<double, ConvergenceLaw> asked_amount(const Arguments& arguments, std::int64_t amount,
                                                  ProblemList& problems) {
  const auto least = static_cast<double>(amount);
  const auto critical = read_count(arguments, "critical-batch", kMostCriticalBatch, problems);
  if (!critical) return least;
  return law_of(least, static_cast<double>(*critical));
}

}  // namespace

std::optional<AskedLength> read_length(const Arguments& arguments, const Graph& graph,
                                       ProblemList& problems) {
  if (!arguments.has("epochs") && !arguments.has("tokens")) {
    if (arguments.has("critical-batch")) {
      problems.add("--critical-batch", "is of a length that small batches need, and none is given",
                   "add --epochs, or --tokens");
    }
    if (arguments.has("samples")) {
      problems.add("--samples", "how often are they passed through?",
                   "give --epochs; a target is reached on a data set: --dataset");
      return std::nullopt;
    }
    return problems.attempt("--target", [&] { return until_target(arguments, graph); });
  }
  refuse_targets(arguments, problems);
  const auto run = read_run(arguments, graph, problems);
  if (!run) return std::nullopt;
  AskedLength asked;
  if (arguments.has("tokens")) {
    asked.length = {0, asked_amount(arguments, run->samples, problems)};
  } else {
    asked.length = {run->samples, asked_amount(arguments, run->epochs, problems)};
  }
  if (const std::string* name = arguments.find("dataset")) {
    asked.data_set = problems.attempt("--dataset", [&] { return load_data_set(*name); });
  }
  return asked;
}

}  // namespace oracle::cli
