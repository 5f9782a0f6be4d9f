#include "oracle/plan/stages.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/pattern.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

/// Operations per byte of memory traffic at which compute and memory take equally long: P100, V100,
/// A100 and H100 in fp32 have 10 to 20, A100 and H100 in tf32 78 and 148, V100 to H100 in half 139
/// to 295. Linears in fewer bits leave all else as long.
double balance_of(DataType type) {
  switch (type) {
    case DataType::fp32:
      return 16;
    case DataType::tf32:
      return 100;
    case DataType::fp16:
    case DataType::bf16:
    case DataType::fp8:
    case DataType::mxfp8:
    case DataType::fp4:
      break;
  }
  return 180;
}

/// Rough length of the layer's three passes on its piece, in operations.
double weight_of(const Layer& layer, const Piece& piece, DataType type) {
  constexpr double kElement = 4;
  const double samples = static_cast<double>(piece.samples);
  const double out = samples * static_cast<double>(piece.output.elements());
  const double in = samples * static_cast<double>(piece.input.elements());
  const double operations = 2 * static_cast<double>(piece.reduction) * out;
  double weight = 0;
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    const PassWork& work = layer.of(pass);
    const double others = samples * static_cast<double>(layer.other_elements);
    const double bytes = kElement * (work.input_touches * in + work.output_touches * out +
                                     work.other_touches * others);
    weight += std::max(operations, bytes * balance_of(type));
  }
  return weight;
}

/// Places p such that a stage may begin at layer p: where one tensor crosses, or anywhere.
std::vector<LayerId> cut_places(const Graph& graph, bool single_tensor) {
  std::vector<int> opened_minus_closed(graph.size() + 1, 0);
  for (LayerId id = 0; id + 1 < graph.size(); ++id) {
    ++opened_minus_closed[id + 1];
    --opened_minus_closed[graph.consumers[id].back() + 1];
  }
  std::vector<LayerId> places;
  int crossing = opened_minus_closed[1];
  for (LayerId place = 2; place < graph.size(); ++place) {
    crossing += opened_minus_closed[place];
    if (!single_tensor || crossing == 1) places.push_back(place);
  }
  return places;
}

/// Fills stages from the front up to `limit` each, leaving a place for every stage still to come.
/// Returns the first layers of stages 1, 2, …; shorter than stages − 1 when the limit is too low.
std::vector<LayerId> fill_stages(const std::vector<double>& prefix,
                                 const std::vector<LayerId>& places, std::int64_t stages,
                                 double limit) {
  std::vector<LayerId> firsts;
  std::size_t next = 0;
  LayerId begin = 0;
  for (std::int64_t stage = 0; stage + 1 < stages; ++stage) {
    const std::size_t after = static_cast<std::size_t>(stages - stage - 2);
    std::size_t choice = next;
    while (choice + 1 + after < places.size() &&
           prefix[places[choice + 1]] - prefix[begin] <= limit) {
      ++choice;
    }
    begin = places[choice];
    firsts.push_back(begin);
    next = choice + 1;
  }
  return firsts;
}

double longest_stage(const std::vector<double>& prefix, const std::vector<LayerId>& firsts) {
  double longest = 0;
  LayerId begin = 0;
  for (const LayerId first : firsts) {
    longest = std::max(longest, prefix[first] - prefix[begin]);
    begin = first;
  }
  return std::max(longest, prefix.back() - prefix[begin]);
}

/// The first layer from `from` on that `name` names; patterns as those of rules.
LayerId layer_named(const Graph& graph, const std::string& name, LayerId from) {
  for (LayerId id = from; id < graph.size(); ++id) {
    if (graph[id].name == name) return id;
  }
  for (LayerId id = from; id < graph.size(); ++id) {
    if (matches(name, graph[id].name)) return id;
  }
  return graph.size();
}

std::vector<LayerId> named_stages(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<LayerId> firsts = {0};
  for (const std::string& name : names) {
    const LayerId id = layer_named(graph, name, std::max<LayerId>(firsts.back() + 1, 2));
    if (id < graph.size()) {
      firsts.push_back(id);
      continue;
    }
    if (layer_named(graph, name, 1) < graph.size()) {
      throw InputError("--strategy",
                       "stages: " + in_quotes(name) + " lies in the stage before the one it begins",
                       "name the first layer of each stage but the first, in the network's order");
    }
    throw InputError(
        "--strategy",
        "stages: no layer of " + on_one_line(graph.name) + " is called " + in_quotes(name),
        suggestion(name, graph.layer_names()));
  }
  firsts.push_back(graph.size());
  return firsts;
}

/// First layers of blocks, in their order, and the one behind the last.
std::vector<LayerId> block_firsts(const Graph& graph) {
  std::vector<LayerId> firsts;
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph.block(id) != 0 && graph.block(id) != graph.block(id - 1)) firsts.push_back(id);
  }
  if (!graph.runs.empty()) firsts.push_back(graph.runs.back().end());
  return firsts;
}

bool asks_for_even(const Strategy& strategy) {
  return strategy.stages.size() == 1 && strategy.stages.front() == "even";
}

}  // namespace

bool names_stages(const Strategy& strategy) {
  return !strategy.stages.empty() && !asks_for_even(strategy);
}

bool leaves_stages_open(const Graph& graph, const Strategy& strategy) {
  return strategy.stages.empty() || (asks_for_even(strategy) && graph.runs.empty());
}

std::optional<std::vector<LayerId>> even_stages(const Graph& graph, const Strategy& strategy,
                                                std::int64_t stages) {
  if (!asks_for_even(strategy)) return std::nullopt;
  const std::vector<LayerId> blocks = block_firsts(graph);
  const auto count = static_cast<std::int64_t>(blocks.size()) - 1;
  if (count < 1) return std::nullopt;
  const std::int64_t most = (count + stages - 1) / stages, fewer = most * stages - count;
  std::int64_t at_back = fewer - fewer / 2;
  // A stage without a block needs another layer.
  if (most == 1) at_back = fewer > 0 && blocks.back() < graph.size() ? 1 : 0;
  const std::int64_t at_front = fewer - at_back;
  if (most == 1 && at_front > (blocks.front() > 1 ? 1 : 0)) return std::nullopt;
  std::vector<LayerId> firsts = {0};
  std::int64_t before = 0;
  for (std::int64_t s = 0; s + 1 < stages; ++s) {
    before += s < at_front || s >= stages - at_back ? most - 1 : most;
    firsts.push_back(blocks[static_cast<std::size_t>(before)]);
  }
  firsts.push_back(graph.size());
  return firsts;
}

std::variant<std::vector<LayerId>, Infeasible> stages_of(const Graph& graph, const Plan& plan,
                                                         std::int64_t stages) {
  const std::vector<std::string>& names = plan.strategy.stages;
  if (auto even = even_stages(graph, plan.strategy, stages)) return *even;
  if (!names_stages(plan.strategy)) {
    return cut_stages(graph, plan.pieces, stages, plan.training.precision.compute);
  }
  const auto named = static_cast<std::int64_t>(names.size()) + 1;
  if (named != stages) {
    throw InputError(
        "--strategy",
        "stages: names the first layers of " + std::to_string(named) +
            " stages, and the pipeline has " + std::to_string(stages),
        (named % plan.strategy.chunks == 0
             ? "write pipeline:" + std::to_string(named / plan.strategy.chunks) + ", or "
             : std::string()) +
            "name a layer for each stage but the first");
  }
  return named_stages(graph, names);
}

std::vector<std::string> stage_names(const Graph& graph, const std::vector<LayerId>& firsts) {
  std::vector<std::string> names;
  for (std::size_t s = 1; s + 1 < firsts.size(); ++s) names.push_back(graph[firsts[s]].name);
  return names;
}

namespace {

/// By layer: whether a block begins there, or ends before it.
std::vector<bool> block_places(const Graph& graph) {
  std::vector<bool> places(graph.size(), false);
  for (LayerId id = 2; id < graph.size(); ++id) {
    places[id] = graph.block(id) != graph.block(id - 1);
  }
  return places;
}

}  // namespace

std::vector<bool> stage_places(const Graph& graph, const std::vector<bool>& fused,
                               std::int64_t stages) {
  if (finds_parts(graph, Cut::context)) {
    std::vector<bool> places = block_places(graph);
    if (std::count(places.begin(), places.end(), true) >= stages - 1) return places;
  }
  std::vector<bool> places(graph.size(), true);
  places[0] = places[1] = false;
  for (LayerId id = 2; id < graph.size(); ++id) {
    if (id < fused.size() && fused[id]) places[id] = false;
    for (const Weight& weight : graph[id].weights) {
      for (LayerId between = weight.owner + 1; weight.owner > 0 && between <= id; ++between) {
        places[between] = false;
      }
    }
  }
  const auto count = std::count(places.begin(), places.end(), true) + 1;
  if (count < stages) std::fill(places.begin() + 2, places.end(), true);
  return places;
}

std::variant<std::vector<LayerId>, Infeasible> cut_stages(const Graph& graph,
                                                          const std::vector<Piece>& pieces,
                                                          std::int64_t stages, DataType type) {
  if (stages == 1) return std::vector<LayerId>{0, graph.size()};
  std::vector<LayerId> places = cut_places(graph, true);
  if (static_cast<std::int64_t>(places.size()) < stages - 1) places = cut_places(graph, false);
  const auto most = static_cast<std::int64_t>(places.size()) + 1;
  if (most < stages) {
    return Infeasible{Constraint::layers,
                      "network " + graph.name,
                      static_cast<double>(stages),
                      static_cast<double>(most),
                      "layers",
                      "use at most " + std::to_string(most) + " stages of a pipeline"};
  }
  std::vector<double> prefix(graph.size() + 1, 0);
  for (LayerId id = 0; id < graph.size(); ++id) {
    prefix[id + 1] = prefix[id] + weight_of(graph[id], pieces[id], type);
  }
  double low = prefix.back() / static_cast<double>(stages), high = prefix.back();
  std::vector<LayerId> best = fill_stages(prefix, places, stages, high);
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    std::vector<LayerId> firsts = fill_stages(prefix, places, stages, middle);
    const bool fits = longest_stage(prefix, firsts) <= middle;
    (fits ? high : low) = middle;
    if (longest_stage(prefix, firsts) < longest_stage(prefix, best)) best = std::move(firsts);
  }
  best.insert(best.begin(), 0);
  best.push_back(graph.size());
  return best;
}

}  // namespace oracle
