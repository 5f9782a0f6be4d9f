#include "oracle/graph/linears.h"

#include <algorithm>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// Values side by side that a matrix unit takes.
constexpr std::int64_t kInARow = 16;

/// Scores say where tokens go; those of a softmax are a distribution.
bool reads_scores(const Layer& layer, LayerId scores) {
  if (layer.kind->is_loss || layer.kind->name == "softmax") return true;
  const bool routes = layer.routed == Routed::dispatch || layer.routed == Routed::combine;
  return routes && layer.inputs[1] == scores;
}

/// By layer, whether what it makes becomes scores, value by value.
std::vector<bool> score_makers(const Graph& graph) {
  std::vector<bool> makes(graph.size(), false);
  for (LayerId id = graph.size(); id-- > 1;) {
    const std::vector<LayerId>& readers = graph.consumers[id];
    makes[id] = std::any_of(readers.begin(), readers.end(), [&](LayerId reader) {
      const Layer& layer = graph[reader];
      const bool goes_on = layer.inputs.size() == 1 && layer.mixing == Mixing::channelwise;
      return reads_scores(layer, id) || (goes_on && makes[reader]);
    });
  }
  return makes;
}

bool is_product_in_rows(const Layer& layer) {
  return (layer.kind->name == "dense" || layer.kind->name == "expert_dense") &&
         layer.input.channels() % kInARow == 0 && layer.output.channels() % kInARow == 0;
}

}  // namespace

void mark_linears(Graph& graph) {
  const std::vector<bool> scores = score_makers(graph);
  for (LayerId id = 1; id < graph.size(); ++id) {
    graph.layers[id].linear = is_product_in_rows(graph[id]) && !scores[id];
  }
}

}  // namespace oracle
