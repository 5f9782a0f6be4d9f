#include "oracle/graph/linears.h"

#include <algorithm>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// Values side by side that a matrix unit takes.
constexpr std::int64_t kInARow = 16;

bool is_softmax(const Layer& layer) { return layer.kind->name == "softmax"; }

bool sends_by(const Layer& layer, LayerId scores) {
  const bool sends = layer.routed == Routed::dispatch || layer.routed == Routed::combine;
  return sends && layer.inputs[1] == scores;
}

/// Scores say where tokens go; those of a softmax are a distribution.
bool reads_scores(const Layer& layer, LayerId scores) {
  return layer.is_loss() || is_softmax(layer) || sends_by(layer, scores);
}

/// By layer, whether what it makes becomes what a layer reads so, through layers that `pass` it on.
template <typename Reads, typename Passes>
std::vector<bool> makers(const Graph& graph, Reads reads, Passes passes) {
  std::vector<bool> makes(graph.size(), false);
  for (LayerId id = graph.size(); id-- > 1;) {
    const std::vector<LayerId>& readers = graph.consumers[id];
    makes[id] = std::any_of(readers.begin(), readers.end(), [&](LayerId reader) {
      const Layer& layer = graph[reader];
      const bool goes_on = layer.inputs.size() == 1 && passes(layer);
      return reads(layer, id) || (goes_on && makes[reader]);
    });
  }
  return makes;
}

bool works_by_value(const Layer& layer) { return layer.mixing == Mixing::channelwise; }

bool keeps_scores(const Layer& layer) { return works_by_value(layer) || is_softmax(layer); }

bool is_product_in_rows(const Layer& layer) {
  return (layer.kind->name == "dense" || layer.kind->name == "expert_dense") &&
         layer.input.channels() % kInARow == 0 && layer.output.channels() % kInARow == 0;
}

}  // namespace

void mark_linears(Graph& graph) {
  const std::vector<bool> scores = makers(graph, reads_scores, works_by_value);
  const std::vector<bool> routes = makers(graph, sends_by, keeps_scores);
  for (LayerId id = 1; id < graph.size(); ++id) {
    Layer& layer = graph.layers[id];
    layer.linear = is_product_in_rows(layer) && !scores[id];
    const bool scores_alone = layer.output.channels() == 1;
    layer.stays_whole = layer.mixing == Mixing::contraction && (routes[id] || scores_alone);
  }
}

}  // namespace oracle
