#include "oracle/cli/measured_runs.h"

#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/split.h"
#include "oracle/base/statistics.h"
#include "oracle/cli/request.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::string_view kRemedy =
    "write a log of Megatron-LM or torchtitan, or a text such as \"data:8; batch=2048; step=310 "
    "ms\"";

/// A run as it is typed.
struct TypedRun {
  std::string strategy;
  std::int64_t batch = 0;
  Seconds step;
};

/// What of "step=310 ms" stands behind its name; nothing where it is another option.
std::optional<std::string_view> value_of(std::string_view option, std::string_view name) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || trim(option.substr(0, equals)) != name) return {};
  return trim(option.substr(equals + 1));
}

TypedRun read_typed(std::string_view text) {
  TypedRun run;
  double throughput = 0;
  if (text.ends_with(';')) text.remove_suffix(1);
  for (const std::string_view option : split_trimmed(text, ';')) {
    if (const auto batch = value_of(option, "batch")) {
      run.batch = parse_count(*batch, 1, kMostBatch);
    } else if (const auto step = value_of(option, "step")) {
      run.step = parse_seconds(*step);
    } else if (const auto rate = value_of(option, "throughput")) {
      throughput = parse_throughput(*rate);
    } else {
      run.strategy += (run.strategy.empty() ? "" : "; ") + std::string(option);
    }
  }
  if (run.batch == 0) throw QuantityError("says no batch", std::string(kRemedy));
  if (throughput > 0) run.step = Seconds{static_cast<double>(run.batch) / throughput};
  if (run.step.value <= 0) throw QuantityError("says no step", std::string(kRemedy));
  return run;
}

/// One run, as the engine is asked.
struct GivenRun {
  std::optional<Graph> network;  ///< none: the one that the command is asked about
  MeasuredRun run;
};

GivenRun from_log(const std::string& file) {
  const Job job = load_job(file);
  if (job.steps.empty()) {
    throw InputError("--measured", in_quotes(file) + " has no step behind the first",
                     "give a log of a job that ran longer");
  }
  JobStep step = step_of(job);
  return {std::move(step.graph), {step.strategy, step.training, median_of(job.steps)}};
}

GivenRun from_text(const std::string& text, const Training& training) {
  const TypedRun typed =
      at_place("--measured: " + in_quotes(text), [&] { return read_typed(text); });
  GivenRun given{{}, {{}, training, typed.step}};
  given.run.strategy =
      parse_strategy(with_default_options(typed.strategy, training.framework.options));
  given.run.training.batch = typed.batch;
  return given;
}

/// "; it ran bf16 by Megatron-Core: …" where the question is another.
std::string unlike(const Training& ran, const Training& asked) {
  if (ran.precision.name == asked.precision.name && ran.framework.id == asked.framework.id) {
    return {};
  }
  return "; it ran " + std::string(ran.precision.name) + " by " + ran.framework.name +
         ", and how far that carries over is not known";
}

std::string times(double factor) {
  return report::significant(factor) + " times as long as priced";
}

}  // namespace

JobStep step_of(const Job& job, std::optional<Graph> network) {
  Training training;
  training.precision = precision_named(job.precision);
  training.optimizer = optimizer_named(job.optimizer);
  training.batch = job.batch;
  if (!job.gradients.empty()) {
    for (const StateOption& option : all_state_options()) {
      if (option.name == "gradients") option.read(job.gradients, training.state);
    }
  }
  training.run_by(load_framework(job.framework));
  Strategy strategy =
      parse_strategy(with_default_options(job.strategy, training.framework.options));
  return {network ? std::move(*network) : model_of(job.network), std::move(strategy), training};
}

std::vector<std::string> measured_texts(std::string_view joined) {
  std::vector<std::string> texts = {""};
  // A strategy has commas; what follows a whole run is another.
  bool whole = false;
  while (true) {
    const std::size_t comma = joined.find(',');
    const std::string_view part = joined.substr(0, comma);
    if (whole) texts.emplace_back();
    texts.back() += (texts.back().empty() ? "" : ",") + std::string(part);
    const bool typed =
        texts.back().find(':') != std::string::npos || texts.back().find('=') != std::string::npos;
    whole = !typed || texts.back().find("step") != std::string::npos ||
            texts.back().find("throughput") != std::string::npos;
    if (comma == std::string_view::npos) return texts;
    joined.remove_prefix(comma + 1);
  }
}

void learn_pace(const Arguments& arguments, const Graph& graph, const Training& training,
                const Profile& profile, Cluster& cluster) {
  const std::string* joined = arguments.find("measured");
  if (joined == nullptr) return;
  if (profile.has_kernels()) {
    throw InputError("--measured", "the profile of " + cluster.id + " holds measured kernels",
                     "leave it out");
  }
  std::vector<double> factors;
  for (const std::string& text : measured_texts(*joined)) {
    const bool is_log = text.find(';') == std::string::npos && is_log_name(text);
    const GivenRun given = is_log ? from_log(text) : from_text(text, training);
    const Graph& network = given.network ? *given.network : graph;
    const auto factor = at_place("--measured", [&] {
      return factor_of_kernels({network, cluster, profile}, given.run);
    });
    if (factor) factors.push_back(*factor);
    cluster.assumptions.push_back(
        "measured: " + (is_log ? text : in_quotes(text)) + ": " +
        report::time(given.run.step).text +
        (factor ? ", as if kernels took " + times(*factor)
                : " is further off than kernels are: it waited for something else, and says "
                  "nothing of them") +
        unlike(given.run.training, training));
  }
  cluster.pace = pace_of(factors);
  if (factors.empty()) return;
  cluster.assumptions.push_back(
      "pace: kernels take " + times(cluster.pace.factor) + ", as " +
      report::number_of(static_cast<std::int64_t>(factors.size()), "measured run") +
      (factors.size() == 1 ? " says" : " say"));
}

}  // namespace oracle::cli
