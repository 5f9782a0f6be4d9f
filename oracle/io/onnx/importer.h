#pragma once
// What does an operator find when it is its turn, and how does it say what it makes?
//
// An Importer walks the nodes of one model in order. Each name of the model stands for a Value: the
// output of a layer with the meaning of its axes (axes.h), or a constant. What depends on no sample
// is folded (fold/fold.h). An operator (operators/table.cpp) reads its node's inputs as Values and
// sets its outputs to new layers or to one of its inputs.
//
// An operator that ONNX does not have is refused; with ModelOverrides::skip_unknown it becomes an
// "opaque" layer of the shape that the exporter wrote beside its output, with the weights it reads.
//
// Worked: a MatMul by 8x4 and an Add of 4 become one dense layer of 36 parameters
//                                                              tests/io/onnx/operators_test.cpp

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/onnx/axes.h"
#include "oracle/io/onnx/model.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {

struct Value {
  bool constant = false;
  Tensor tensor;  ///< of a constant
  /// An input of the network beside the first, of which no layer is made yet.
  bool awaited = false;

  LayerId layer = 0;
  Axes axes;  ///< the samples among them
  /// Zeros that a Pad has put around it, which the window that reads it takes over.
  std::array<Integers, 2> pad;

  bool padded() const { return !pad[0].empty(); }
  std::size_t rank() const { return axes.size(); }
  Integers extents() const { return constant ? tensor.dims : extents_of(axes); }
};

/// What was decided where a file leaves it open, and what was passed over: for people.
struct Notes {
  std::int64_t outputs = 1;
  std::string trained_output;
  std::int64_t skipped = 0;  ///< operators priced by their bytes
  std::int64_t skipped_parameters = 0;
  std::int64_t of_input = 0;     ///< weights that shift or scale the input: its mean, its deviation
  double constant_products = 0;  ///< multiply-adds that are done once for all samples
  std::int64_t masks = 0;        ///< stored constants that were not taken for weights
};

class Importer {
 public:
  /// `spatial_rank` is the least that the network's tensors have.
  Importer(const Model& model, std::string name, const ModelOverrides& overrides,
           std::size_t spatial_rank = 0);

  /// Walks all nodes that the outputs depend on. Throws InputError whose place is the node;
  /// MorePositions where a layer has more spatial axes than the network's tensors.
  Graph run();
  const Notes& notes() const { return notes_; }

  // What operators use.
  std::int64_t opset() const { return model_.opset; }
  std::size_t spatial_rank() const { return spatial_rank_; }
  std::int64_t batch() const { return batch_; }
  const Layer& layer(const Value& value) const { return builder_.so_far()[value.layer]; }
  const Shape& shape(const Value& value) const { return layer(value).output; }

  /// Throws InputError where the input is absent.
  const Value& value(const Node& node, std::size_t at) const;
  /// The output of a layer, without pending zeros.
  const Value& tensor(const Node& node, std::size_t at);
  const Tensor& constant(const Node& node, std::size_t at) const;
  /// The integers of a constant. Throws InputError where they are not known.
  const Integers& integers(const Node& node, std::size_t at) const;
  /// The integers of an input, or of an attribute where an older opset has them.
  Integers listed(const Node& node, std::size_t at, std::string_view attribute) const;
  /// The axes that a node names, as its input `at` or an attribute, of `rank`, ascending.
  std::vector<std::size_t> axes(const Node& node, std::size_t at, std::size_t rank) const;
  bool is_constant(const Node& node, std::size_t at) const;
  /// Makes a layer of a constant that is repeated for each sample (queries that are trained), so
  /// that what is computed from it counts; false where it is not.
  bool make_tensor(const Node& node, std::size_t at);

  void set(const Node& node, Value value, std::size_t output = 0);
  /// Adds a layer that reads `inputs` and sets the node's output to it.
  void add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
           const Attributes& attributes, const Axes& axes, std::size_t output = 0);
  /// The same for a layer whose axes follow from the output that its kind makes.
  using AxesOf = std::function<Axes(const Shape& made)>;
  void add_made(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                const Attributes& attributes, const AxesOf& axes_of);
  /// The same for a layer with its channels first, of `rank` axes.
  void add_image(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                 const Attributes& attributes, std::size_t rank);
  /// A layer of the first input alone, which keeps its axes.
  void add_alike(const Node& node, std::string_view kind, const Attributes& attributes = {});
  /// A layer of a general kind (elementwise, movement, reduction) whose output has these axes.
  void add_general(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                   const Axes& axes, const Attributes& more = {}, std::size_t output = 0);
  /// Stored elements of the real constants that a node reads and no layer has yet.
  std::int64_t newly_stored(const Node& node);
  /// A layer for several nodes: called after the first, the output of the last, with the weights
  /// that all of them read.
  void add_for(const std::vector<const Node*>& nodes, std::string_view kind,
               const std::vector<LayerId>& inputs, const Attributes& attributes, const Axes& axes);

  /// The value with axes of another meaning and the same elements, behind a layer where that makes
  /// another shape or another order.
  Value meaning(const Node& node, Value value, const Axes& axes);
  /// The input with its channels first, as windows and batch normalizations read it. Positions that
  /// are folded into its batch are a spatial axis more.
  Value image(const Node& node, std::size_t at);

  /// Whether the one reader of the node's output adds a constant of `features` elements along its
  /// last or its channel axis to it; that Add then makes no layer.
  bool takes_bias(const Node& node, std::int64_t features);
  /// Whether this Add became the bias of the layer before.
  bool is_bias(const Node& node) const { return biases_.contains(&node); }
  /// Whether the network ends with this node's output.
  bool is_output(const Node& node) const;
  /// Whether a node or the network reads this output.
  bool is_read(const Node& node, std::size_t output) const;
  /// What a name stands for so far; nullptr where nothing has made it.
  const Value* known(const std::string& name) const;
  const Value& made(const Node& node) const { return values_.at(node.outputs.front()); }

  /// The one reader of a node's output where it is of this type; else nullptr.
  const Node* only_reader(const Node& node, std::string_view type) const;
  const std::vector<const Node*>& readers(const Node& node) const;
  /// Passes over nodes that became part of a layer.
  void leave_out(const Node& node) { done_.insert(&node); }
  /// Acts on the nodes of a graph inside of a node, and names its outputs after those of the node.
  void enter(const Node& node, const Model& inside);
  /// Notes the stored constants of more than a number that a node reads from input `first` on, and
  /// that no layer has for its weights: masks, bounds, states that a sequence begins with. Known
  /// zeros are none.
  void pass_over_constants(const Node& node, std::size_t first = 0);
  /// Counts a weight that may be the mean or the deviation of the input.
  void note_input_constant() { ++notes_.of_input; }
  /// Counts products of constants, which are the same for all samples.
  void pass_over_products(double multiply_adds) { notes_.constant_products += multiply_adds; }

 private:
  void check_operators() const;
  void find_needed();
  void register_reader(const Node& node);
  void place_constants(const Model& from);
  void fold_constants();
  bool fold(const Node& node);
  void place_inputs(const ModelOverrides& overrides);
  void place_data(const Input& input, const ModelOverrides& overrides);
  void place_further(const Input& input);
  std::size_t batch_axis_of(const Input& input) const;
  bool has_channels_last(const Input& input) const;
  bool is_weight_input(const Input& input, const Input& data) const;
  const Input& find_data() const;
  void act(const Node& node);
  void act_on(const Node& node);
  void finish_outputs();
  void stream(const Node& node);
  void stream_output(const Node& node, std::size_t output, const std::vector<LayerId>& inputs,
                     const Axes& like);
  std::string name_for(const Node& node);
  Value make(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
             const Attributes& attributes, const AxesOf& axes_of);
  std::int64_t count_stored(const Tensor& tensor);
  void settle_weights(const std::vector<std::string>& read, LayerId made);
  std::vector<std::string> read_by(const Node& node) const;

  const Model& model_;
  GraphBuilder builder_;
  bool skip_unknown_ = false;
  bool shapes_hold_ = true;  ///< whether the exporter's shapes are those of this input
  std::string output_;       ///< that was asked for; else empty
  std::size_t spatial_rank_ = 0;
  std::int64_t batch_ = kSymbolicBatch;
  Notes notes_;
  std::unordered_map<std::string, std::int64_t> symbols_;  ///< extents by their names
  std::vector<const Node*> needed_;                        ///< in the order of the file
  std::unordered_map<std::string, std::vector<const Node*>> readers_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<const Node*> biases_;
  /// First user of a weight, by its sources, and which of its weights it is.
  std::unordered_map<std::string, std::pair<LayerId, std::string>> owners_;
  std::unordered_set<std::string> counted_;      ///< stored tensors that a layer has
  std::unordered_set<std::string> passed_over_;  ///< those of which none has
  std::unordered_set<const Node*> done_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace oracle::onnx
