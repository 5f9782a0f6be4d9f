#include "oracle/cli/launch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/frameworks/launch_reader.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/strategy/default_options.h"
#include "oracle/plan/strategy/strategy_options.h"

namespace oracle::cli {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kPrecision = "precision";

/// Ranks along axes of that name.
std::int64_t degree_of(const Strategy& strategy, std::string_view name) {
  std::int64_t degree = 1;
  for (const MeshAxis& axis : strategy.mesh) {
    if (row_of(axis.cut).axis_name == name) degree *= axis.degree;
  }
  return degree;
}

/// What the strategy has: axes with their degrees, options that are not the framework's own with
/// their values, and the number format.
Values features_of(const Evaluation& evaluation) {
  const Strategy& strategy = evaluation.strategy;
  const Strategy usual =
      parse_strategy(with_default_options("serial", evaluation.training.framework.options));
  Values features{{std::string(kPrecision), std::string(evaluation.training.precision.name)}};
  for (const MeshAxis& axis : strategy.mesh) {
    const std::string name(row_of(axis.cut).axis_name);
    if (axis.degree > 1) features[name] = std::to_string(degree_of(strategy, name));
  }
  for (const StrategyOption& option : all_strategy_options()) {
    const std::string value = option.written(strategy);
    if (value == option.written(usual)) continue;
    features[std::string(option.name)] = value.empty() ? std::string(option.usual) : value;
  }
  // Names of layers are the oracle's own: a framework has blocks.
  features.erase("stages");
  return features;
}

/// A place whose value follows from a feature that has another name.
struct Derived {
  std::string_view place, feature;
};
constexpr std::array<Derived, 4> kDerived = {{{"micro_batch", "micro_batches"},
                                              {"bucket_mib", "bucket"},
                                              {"experts", "expert"},
                                              {"instances", "shard"}}};

Values places_of(const Evaluation& evaluation, const Cluster& cluster, const Values& features) {
  const Strategy& strategy = evaluation.strategy;
  const std::int64_t ranks = evaluation.ranks, batch = evaluation.training.batch;
  const std::int64_t each = std::min(ranks, cluster.capacity(0));
  const std::int64_t own = batch / std::max<std::int64_t>(strategy.replicas(), 1);
  const std::int64_t micro_batches = std::max<std::int64_t>(strategy.micro_batches, 1);
  const auto mebibytes = std::llround(strategy.bucket.value / 0x1p20);
  const std::int64_t experts = degree_of(strategy, "expert") * degree_of(strategy, "tensor_expert");
  const std::int64_t shard = std::max<std::int64_t>(strategy.shard, 1);
  Values places = features;
  const auto put = [&](const char* name, std::int64_t value) {
    places[name] = std::to_string(value);
  };
  put("nodes", (ranks + each - 1) / each);
  put("per_node", each);
  put("ranks", ranks);
  put("batch", batch);
  put("batch_per_rank", own);
  put("micro_batch", own / micro_batches);
  put("micro_batches", micro_batches);
  put("bucket_mib", std::max(mebibytes, 1LL));
  put("experts", experts);
  put("instances", degree_of(strategy, "data") / shard);
  return places;
}

std::string filled(std::string line, const Values& places) {
  for (const auto& [name, value] : places) {
    const std::string place = "{" + name + "}";
    for (std::size_t at = line.find(place); at != std::string::npos;
         at = line.find(place, at + value.size())) {
      line.replace(at, place.size(), value);
    }
  }
  return line;
}

/// Whether there is such a feature: "zero", or "zero=1".
bool has(const Values& features, std::string_view condition) {
  const std::size_t equals = condition.find('=');
  const auto found = features.find(condition.substr(0, equals));
  return found != features.end() &&
         (equals == std::string_view::npos || found->second == condition.substr(equals + 1));
}

bool names(std::string_view condition, const std::pair<const std::string, std::string>& feature) {
  return condition == feature.first || condition == feature.first + "=" + feature.second;
}

/// Whether a line says that feature, or leaves out what it is without.
bool says(const LaunchLine& line, const std::pair<const std::string, std::string>& feature) {
  const auto holds = [&](std::string_view place) {
    return line.text.find("{" + std::string(place) + "}") != std::string::npos;
  };
  return names(line.when, feature) || names(line.unless, feature) || holds(feature.first) ||
         std::any_of(kDerived.begin(), kDerived.end(), [&](const Derived& one) {
           return one.feature == feature.first && holds(one.place);
         });
}

/// As frameworks tell axes apart: "tensor" of all kinds.
std::string_view sort_of(Cut cut) {
  const std::string_view name = row_of(cut).axis_name;
  if (name.starts_with("tensor")) return "tensor";
  return is_of_positions(cut) ? "context" : name;
}

bool applies(const LaunchLine& line, const Values& features) {
  return (line.when.empty() || has(features, line.when)) &&
         (line.unless.empty() || !has(features, line.unless));
}

/// The line of the order in which the ranks are; null: of none.
const LaunchLine* order_of(std::span<const LaunchLine> lines, const Strategy& strategy,
                           const Values& features) {
  for (const LaunchLine& line : lines) {
    if (!applies(line, features)) continue;
    auto at = line.order.begin();
    const bool keeps =
        !line.order.empty() &&
        std::all_of(strategy.mesh.begin(), strategy.mesh.end(), [&](const auto& axis) {
          at = std::find(at, line.order.end(), sort_of(axis.cut));
          return at != line.order.end();
        });
    if (keeps) return &line;
  }
  return nullptr;
}

[[noreturn]] void refuse(const Framework& framework, const std::string& what,
                         const std::string& remedy) {
  throw InputError("--launch", "framework " + in_quotes(framework.id) + " " + what, remedy);
}

std::vector<LaunchLine> launch_lines_of(const Framework& framework) {
  std::vector<LaunchLine> lines = load_launch_lines(framework.id);
  if (lines.empty()) refuse(framework, "does not say how", "add \"launch\" to its file");
  return lines;
}

void check_order(const Framework& framework, std::span<const LaunchLine> lines,
                 const Strategy& strategy, const Values& features) {
  const auto first = std::find_if(lines.begin(), lines.end(),
                                  [](const LaunchLine& line) { return !line.order.empty(); });
  if (first == lines.end() || order_of(lines, strategy, features) != nullptr) return;
  std::string order;
  for (const std::string& axis : first->order) order += (order.empty() ? "" : ", ") + axis;
  refuse(framework, "numbers its ranks by " + order + ", and so no mesh in this order",
         "write the axes in that one");
}

void check_said(const Framework& framework, std::span<const LaunchLine> lines,
                const Evaluation& evaluation, const Values& features) {
  if (!evaluation.strategy.rules.empty()) {
    refuse(framework, "has no line that cuts some layers otherwise", "give all layers one mesh");
  }
  const bool knows_formats = std::any_of(lines.begin(), lines.end(), [](const LaunchLine& line) {
    return line.when.starts_with(kPrecision);
  });
  for (const auto& feature : features) {
    if (feature.first == "data" || (feature.first == kPrecision && !knows_formats)) continue;
    const bool said = std::any_of(lines.begin(), lines.end(),
                                  [&](const LaunchLine& line) { return says(line, feature); });
    if (said) continue;
    const bool is_option = strategy_option(feature.first) != nullptr || feature.first == kPrecision;
    refuse(framework, "has no line for " + feature.first + (is_option ? "=" : ":") + feature.second,
           "leave it out, or add one to \"launch\" of its file");
  }
}

}  // namespace

void require_launch_lines(const Framework& framework) { launch_lines_of(framework); }

std::vector<std::string> launched_axes(const Framework& framework, std::vector<std::string> axes) {
  const std::vector<LaunchLine> lines = launch_lines_of(framework);
  std::erase_if(axes, [&](const std::string& axis) {
    return axis != "data" && std::none_of(lines.begin(), lines.end(), [&](const LaunchLine& line) {
             return says(line, {axis, {}});
           });
  });
  return axes;
}

report::Notes launch_notes(const Evaluation& evaluation, const Cluster& cluster) {
  const Framework& framework = evaluation.training.framework;
  const std::vector<LaunchLine> lines = launch_lines_of(framework);
  const Values features = features_of(evaluation);
  check_said(framework, lines, evaluation, features);
  check_order(framework, lines, evaluation.strategy, features);
  const LaunchLine* order = order_of(lines, evaluation.strategy, features);
  const Values places = places_of(evaluation, cluster, features);
  report::Notes notes{.key = "launch", .title = "to start it", .to_copy = true};
  for (const LaunchLine& line : lines) {
    const bool asked = applies(line, features) && (line.order.empty() || &line == order);
    if (asked && !line.text.empty()) notes.lines.push_back(filled(line.text, places));
  }
  return notes;
}

}  // namespace oracle::cli
