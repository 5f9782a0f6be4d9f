#pragma once
// What does an operator find when it is its turn, and how does it say what it makes?
//
// An Importer walks the nodes of one model in order. Each name of the model stands for a Value: the
// output of a layer, or a constant. An operator (operators/table.cpp) reads its node's inputs as
// Values and sets its output to a new layer, to a constant or to one of its inputs.
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
#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// Stands for the batch among the integers of a shape.
inline constexpr std::int64_t kBatch = std::numeric_limits<std::int64_t>::min();

struct Value {
  bool constant = false;
  bool label = false;  ///< the classes that a loss reads
  Tensor tensor;       ///< of a constant

  LayerId layer = 0;
  std::size_t rank = 0;  ///< axes in ONNX, the batch among them: 4 for an image, 2 when flat
  /// Zeros that a Pad has put around it, which the window that reads it takes over.
  std::array<Integers, 2> pad;

  bool padded() const { return !pad[0].empty(); }
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

  void set(const Node& node, Value value);
  void set_integers(const Node& node, Integers values, bool scalar = false);
  /// Adds a layer that reads `inputs`; its output has `rank` axes.
  void add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
           const Attributes& attributes, std::size_t rank);
  /// A layer of the first input alone, which keeps its axes.
  void add(const Node& node, std::string_view kind, const Attributes& attributes = {});

  /// Whether the one reader of the node's output adds a constant of `features` elements to it; that
  /// Add then makes no layer.
  bool takes_bias(const Node& node, std::int64_t features);
  /// Whether this Add became the bias of the layer before.
  bool is_bias(const Node& node) const { return biases_.contains(&node); }
  /// Whether the network ends with this node's output.
  bool is_output(const Node& node) const;

 private:
  void check_operators() const;
  void find_needed();
  void place_inputs(const ModelOverrides& overrides);
  void place_data(const Input& input, const ModelOverrides& overrides);
  std::string name_for(const Node& node);

  const Model& model_;
  GraphBuilder builder_;
  std::size_t spatial_rank_ = 2;
  std::vector<const Node*> needed_;  ///< in the order of the file
  std::unordered_map<std::string, std::vector<const Node*>> readers_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<const Node*> biases_;
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

}  // namespace oracle::onnx
