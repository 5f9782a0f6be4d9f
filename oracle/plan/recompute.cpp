#include "oracle/plan/recompute.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/pattern.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {
namespace {

/// Masks of other dropouts are small beside what lies between them.
bool is_selective(const Graph& graph, LayerId id) {
  const Layer& layer = graph[id];
  const std::string_view kind = layer.kind->name;
  if (kind == "dropout") return graph[layer.inputs.front()].kind->name == "softmax";
  return kind == "matmul" || kind == "softmax";
}

constexpr std::string_view kExcept = "except:";

bool is_meant(const Graph& graph, LayerId id, std::string_view what) {
  if (graph[id].is_loss()) return false;
  if (what == "full" || what.starts_with(kExcept)) return true;
  return what == "selective" ? is_selective(graph, id) : matches(what, graph[id].name);
}

}  // namespace

bool has_blocks(const Graph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [](const Layer& layer) {
    return !layer.is_loss() && !block_of(layer.name).empty();
  });
}

Recomputation recomputation(const Graph& graph, std::string_view what) {
  Recomputation made;
  if (what.empty()) return made;
  made.segment_of.assign(graph.size(), 0);
  const bool excepts = what.starts_with(kExcept);
  if (excepts) made.kept.assign(graph.size(), false);
  bool open = false;
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph.block(id) != graph.block(id - 1)) open = false;
    if (graph.block(id) == 0 || !is_meant(graph, id, what)) continue;
    if (!open) made.segments.push_back({id, id});
    open = true;
    made.segments.back().last = id;
    made.segment_of[id] = static_cast<std::uint32_t>(made.segments.size());
    if (excepts) made.kept[id] = matches(what.substr(kExcept.size()), graph[id].name);
  }
  // One kernel of attention keeps no scores: it does of itself what "selective" asks.
  if (made.segments.empty() && what == "selective") return {};
  const bool keeps_none =
      excepts && std::find(made.kept.begin(), made.kept.end(), true) == made.kept.end();
  if (made.segments.empty() || keeps_none) {
    throw InputError("--strategy",
                     "recompute=" + on_one_line(what) + " means no layer of a block of " +
                         on_one_line(graph.name),
                     "write recompute=full, or a pattern of its layers' names");
  }
  return made;
}

}  // namespace oracle
