#include "oracle/graph/adapters.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/pattern.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

constexpr std::array<std::string_view, 4> kParts = {".lora_a", ".lora_b", ".lora_scale",
                                                    ".lora_sum"};

bool is_adapted(const Layer& layer, std::string_view layers) {
  if (layers.empty()) return layer.linear && layer.kind->name == "dense";
  return layer.kind->name == "dense" && matches(layers, layer.name);
}

class Rewriter {
 public:
  Rewriter(const Graph& graph, std::int64_t rank)
      : graph_(graph), rank_(rank), builder_(graph.name), of_(graph.size()), made_(graph.size()) {}

  Graph run(std::string_view layers) {
    of_[0] = builder_.input(graph_[0].output, graph_[0].spatial_rank);
    for (LayerId id = 1; id < graph_.size(); ++id) {
      copy(id);
      if (is_adapted(graph_[id], layers)) adapt(id);
    }
    Graph made = builder_.finish();
    for (LayerId id = 0; id < graph_.size(); ++id) {
      const Layer& layer = graph_[id];
      Layer& copied = made.layers[made_[id]];
      copied.frozen = true;
      copied.linear = layer.linear;
      copied.stays_whole = layer.stays_whole;
    }
    for (const LayerId first : firsts_) made.layers[first].stays_whole = true;
    made.description = graph_.description;
    made.sources = graph_.sources;
    find_blocks(made);
    return made;
  }

  bool adapted_any() const { return !firsts_.empty(); }

 private:
  void copy(LayerId id) {
    const Layer& layer = graph_[id];
    std::vector<LayerId> inputs;
    for (const LayerId input : layer.inputs) inputs.push_back(of_[input]);
    of_[id] = made_[id] =
        builder_.add(layer.name, layer.kind->name, std::move(inputs), graph_.written[id]);
    for (const Weight& weight : layer.weights) {
      if (weight.owner != 0) builder_.share(of_[id], weight.name, made_[weight.owner]);
    }
  }

  void adapt(LayerId id) {
    const Layer& layer = graph_[id];
    const auto name = [&](std::size_t part) { return layer.name + std::string(kParts[part]); };
    const auto dense = [&](std::size_t part, LayerId input, std::int64_t features) {
      return builder_.add(name(part), "dense", {input}, {{"features", features}, {"bias", false}});
    };
    const LayerId a = dense(0, of_[layer.inputs.front()], rank_);
    const LayerId b = dense(1, a, layer.output.channels());
    const LayerId scale =
        builder_.add(name(2), "activation", {b}, {{"function", std::string("linear")}});
    of_[id] = builder_.add(name(3), "add", {of_[id], scale});
    firsts_.push_back(a);
  }

  const Graph& graph_;
  std::int64_t rank_;
  GraphBuilder builder_;
  std::vector<LayerId> of_;    ///< by layer, what its readers read
  std::vector<LayerId> made_;  ///< by layer, itself
  std::vector<LayerId> firsts_;
};

[[noreturn]] void refuse(std::string_view place, const Graph& graph, std::string_view layers,
                         std::string_view what) {
  const std::string none =
      layers.empty() ? graph.name + " has no " + std::string(what) + " but for its scores"
                     : in_quotes(layers) + " matches no " + std::string(what) + " of " + graph.name;
  throw InputError(std::string(place), none, "see: oracle show model " + graph.name);
}

}  // namespace

Graph with_adapters(const Graph& graph, std::int64_t rank, std::string_view layers) {
  Rewriter rewriter(graph, rank);
  Graph made = rewriter.run(layers);
  if (!rewriter.adapted_any()) refuse("--lora", graph, layers, "linear product");
  return made;
}

Graph training_only(Graph graph, std::string_view layers) {
  bool learns = false;
  for (Layer& layer : graph.layers) {
    layer.frozen = !matches(layers, layer.name);
    learns = learns || layer.learns();
  }
  if (!learns) refuse("--train", graph, layers, "layer with weights");
  find_blocks(graph);
  return graph;
}

}  // namespace oracle
