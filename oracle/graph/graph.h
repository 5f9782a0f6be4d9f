#pragma once
// Which layers does the network have, and who reads whose output?
//
// A graph is an immutable list of layers in topological order; layer 0 is the input. Exactly one
// layer, the last, is the loss. Build it with GraphBuilder.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "oracle/graph/attributes.h"
#include "oracle/graph/blocks.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// Figures published for a network, kept beside it for tests and `show`; 0 where none exists.
struct Published {
  std::int64_t parameters = 0;
  double multiply_adds = 0;  ///< forward, per sample
  std::string source;
};

struct Graph {
  std::string name;
  std::string description;
  std::vector<std::string> sources;  ///< where its layers are described
  std::vector<std::string> notes;    ///< what of its file is left out
  Published published;
  std::vector<Layer> layers;
  std::vector<Attributes> written;              ///< of each layer, what its kind was asked for
  std::vector<std::vector<LayerId>> consumers;  ///< of each layer's output, each once, ascending
  // Of its blocks, as find_blocks() finds them; may be empty.
  std::vector<std::uint32_t> blocks;  ///< by layer the number of its block, from 1; 0: in none
  std::vector<BlockRun> runs;         ///< of blocks that are alike
  std::vector<LayerId> alike;         ///< by layer, see layers_alike()

  const Layer& operator[](LayerId id) const { return layers[id]; }
  LayerId size() const { return static_cast<LayerId>(layers.size()); }
  std::uint32_t block(LayerId id) const { return id < blocks.size() ? blocks[id] : 0; }
  LayerId like(LayerId id) const { return id < alike.size() ? alike[id] : 0; }
  std::vector<std::string> layer_names() const;

  std::int64_t parameters() const;
  /// But for those that stay as they are.
  std::int64_t learned_parameters() const;
  /// Serial FLOPs of a pass over all layers, per sample.
  double flops(Pass pass) const;
  /// Forward multiply-adds of the contractions, per sample (what papers call FLOPs or MACs).
  double multiply_adds() const;
};

/// The layer whose weights `id` uses: itself, or that with which it shares all of them and its
/// kind, or whose table a dense layer multiplies by. Nothing where it shares some, or with a layer
/// of another kind.
std::optional<LayerId> owner_of_weights(const Graph& graph, LayerId id);

/// Whether a layer reads the output of `id` as numbers of rows (Layer::looks_up).
bool is_looked_up(const Graph& graph, LayerId id);

/// Whether backward computes the gradient of a layer's output: some layer at or before it is
/// trained.
std::vector<bool> needs_gradient(const Graph& graph);

/// The kind called `name`. Throws InputError (empty place) with a suggestion where there is none;
/// the input is no kind one can ask for.
const Kind& require_kind(std::string_view name);

/// Throws InputError (empty place) with one problem for each attribute that `kind` does not have.
void check_attributes(const Kind& kind, const Attributes& attributes);

/// Builds a graph layer by layer. Every error is an InputError whose place is the layer's name.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name) { graph_.name = std::move(name); }

  /// The input; must come first. Worked: input({3 channels, height 224, width 224}).
  /// `spatial_rank` is the number of spatial axes of the network's tensors; by default the axes
  /// longer than 1 decide: depth → 3, height → 2, width → 1, none → 0.
  LayerId input(const Shape& shape, std::optional<std::size_t> spatial_rank = {});

  /// Adds a layer of the named kind after `inputs` (ids returned earlier, so no cycle can be
  /// built). Throws InputError: unknown kind or attribute (with suggestion), shapes that do not
  /// fit.
  LayerId add(std::string name, std::string_view kind, std::vector<LayerId> inputs,
              const Attributes& attributes = {});

  /// Lets `user`, the last layer, use the weight called `name` of an earlier layer. Throws
  /// InputError where one of the two has no such weight, or another number of elements.
  void share(LayerId user, std::string_view name, LayerId owner);

  /// Makes the trained elements of the last layer, whose weights are its own, as many as are stored
  /// for them; the attribute "stored" that every kind has says the same. Worked: 32 rows of a table
  /// of 512x64 are 2,048 weights of 32,768                             tests/graph/graph_test.cpp
  void store(LayerId last, std::int64_t stored);

  const Graph& so_far() const { return graph_; }

  /// The finished graph. Throws InputError unless the last layer is a loss and every other is read.
  Graph finish();

 private:
  Layer described(std::string name, const Kind& kind, std::vector<LayerId> inputs,
                  const Attributes& attributes) const;

  Graph graph_;
  std::unordered_set<std::string> names_;
  std::int64_t parameters_ = 0;
  std::size_t spatial_rank_ = 2;
};

}  // namespace oracle
