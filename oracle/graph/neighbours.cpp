#include "oracle/graph/neighbours.h"

#include <algorithm>

namespace oracle {
namespace {

bool normalizes(const Layer& layer) { return layer.batch_statistics; }

bool has_products(const Layer& layer) { return layer.trainable() && layer.reduction > 0; }

bool reads_memory_forward(const Graph& graph, const Layer& layer) {
  return !layer.inputs.empty() &&
         std::all_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](LayerId read) { return normalizes(graph[read]); });
}

bool reads_memory_backward(const Graph& graph, LayerId id) {
  const std::vector<LayerId>& readers = graph.consumers[id];
  if (readers.size() == 1 && normalizes(graph[readers.front()])) return true;
  return graph[id].keeps_output && std::none_of(readers.begin(), readers.end(), [&](LayerId one) {
           return has_products(graph[one]);
         });
}

}  // namespace

void note_neighbours(Graph& graph) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    Layer& layer = graph.layers[id];
    layer.past_caches = {reads_memory_forward(graph, layer), reads_memory_backward(graph, id)};
  }
}

}  // namespace oracle
