#pragma once
// What does an operator find when it is its turn, and how does it say what it makes?
//
// An Importer walks the nodes of one model in order. Each name of the model stands for a Value: the
// output of a layer with the meaning of its axes (axes.h), or a constant. An operator
// (operators/table.cpp) reads its node's inputs as Values and sets its outputs to new layers, to
// constants or to one of its inputs.
//
// An operator that is not known is refused; with ModelOverrides::skip_unknown it becomes an
// "opaque" layer of the shape that the exporter wrote beside its output.
//
// Worked: a MatMul by 8x4 and an Add of 4 become one dense layer of 36 parameters
//                                                              tests/io/onnx/operators_test.cpp

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/onnx/axes.h"
#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// Stands for the batch among the integers of a shape.
inline constexpr std::int64_t kBatch = std::numeric_limits<std::int64_t>::min();

struct Value {
  bool constant = false;
  bool trained = false;  ///< a constant that is a weight of the file
  bool label = false;    ///< the classes that a loss reads
  Tensor tensor;         ///< of a constant

  LayerId layer = 0;
  Axes axes;  ///< the samples among them
  /// Zeros that a Pad has put around it, which the window that reads it takes over.
  std::array<Integers, 2> pad;

  bool padded() const { return !pad[0].empty(); }
  std::size_t rank() const { return axes.size(); }
};

class Importer {
 public:
  Importer(const Model& model, std::string name, const ModelOverrides& overrides);

  /// Walks all nodes that the output depends on. Throws InputError whose place is the node.
  Graph run();

  // What operators use.
  std::size_t spatial_rank() const { return spatial_rank_; }
  const Layer& layer(const Value& value) const { return builder_.so_far()[value.layer]; }

  /// Throws InputError where the input is absent.
  const Value& value(const Node& node, std::size_t at) const;
  /// The output of a layer, without pending zeros.
  const Value& tensor(const Node& node, std::size_t at) const;
  const Tensor& constant(const Node& node, std::size_t at) const;
  /// The integers of a constant; none where they are not known.
  const Integers& integers(const Node& node, std::size_t at) const;
  bool is_constant(const Node& node, std::size_t at) const;

  void set(const Node& node, Value value, std::size_t output = 0);
  void set_integers(const Node& node, Integers values, bool scalar = false);
  /// Adds a layer that reads `inputs` and sets the node's output to it.
  void add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
           const Attributes& attributes, const Axes& axes, std::size_t output = 0);
  /// The same for a layer with its channels first, of `rank` axes.
  void add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
           const Attributes& attributes, std::size_t rank);
  /// A layer of the first input alone, which keeps its axes.
  void add(const Node& node, std::string_view kind, const Attributes& attributes = {});

  /// A layer for several nodes: called after the first, and the output of the last.
  void add_at(const Node& first, const Node& last, std::string_view kind,
              const std::vector<LayerId>& inputs, const Attributes& attributes, const Axes& axes);

  /// The value with axes of another meaning and the same elements, behind a reshape where that
  /// makes another shape. Throws InputError where the two cannot be told apart.
  Value meaning(const Node& node, Value value, const Axes& axes);
  /// The input with its channels first, as windows and batch normalizations read it.
  Value image(const Node& node, std::size_t at);

  /// Whether the one reader of the node's output adds a constant of `features` elements to it; that
  /// Add then makes no layer.
  bool takes_bias(const Node& node, std::int64_t features);
  /// Whether this Add became the bias of the layer before.
  bool is_bias(const Node& node) const { return biases_.contains(&node); }
  /// Whether the network ends with this node's output.
  bool is_output(const Node& node) const;
  /// Whether a node or the network reads this output.
  bool is_read(const Node& node, std::size_t output) const;
  /// What the node's first output was set to.
  const Value& made(const Node& node) const { return values_.at(node.outputs.front()); }
  /// What a name stands for so far; nullptr where nothing has made it.
  const Value* known(const std::string& name) const;

  /// The one reader of a node's output where it is of this type; else nullptr.
  const Node* only_reader(const Node& node, std::string_view type) const;
  const std::vector<const Node*>& readers(const Node& node) const;
  /// Passes over nodes that became part of a layer.
  void leave_out(const Node& node) { done_.insert(&node); }

 private:
  void check_operators() const;
  void find_needed();
  void place_inputs(const ModelOverrides& overrides);
  void place_data(const Input& input, const ModelOverrides& overrides);
  bool has_channels_last(const Input& input) const;
  void act(const Node& node);
  void stream(const Node& node);
  void stream_output(const Node& node, std::size_t output, const std::vector<LayerId>& inputs,
                     const Axes& like);
  std::string name_for(const Node& node);
  void share_weights(const Node& node, LayerId made);

  const Model& model_;
  GraphBuilder builder_;
  bool skip_unknown_ = false;
  bool shapes_hold_ = true;  ///< whether the exporter's shapes are those of this input
  std::size_t spatial_rank_ = 2;
  std::vector<const Node*> needed_;  ///< in the order of the file
  std::unordered_map<std::string, std::vector<const Node*>> readers_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<const Node*> biases_;
  std::unordered_map<std::string, LayerId> owners_;  ///< first user of a weight, by its source
  std::unordered_set<const Node*> done_;
  std::unordered_map<std::string, int> names_;
};

// Attributes of a node, with ONNX's defaults.
std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t fallback);
/// `count` integers; where absent, `count` times the fallback.
Integers integers_of(const Node& node, std::string_view name, std::size_t count,
                     std::int64_t fallback);
std::string text_of(const Node& node, std::string_view name, std::string fallback);
/// A negative axis counts from the end. Throws InputError where there is none.
std::size_t axis_of(std::int64_t axis, std::size_t rank);
/// The axes that a node names, as an attribute or its input `at`, of `rank`, ascending.
std::vector<std::size_t> axes_of(const Importer& importer, const Node& node, std::size_t at,
                                 std::size_t rank);

}  // namespace oracle::onnx
