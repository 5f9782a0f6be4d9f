#include "oracle/io/onnx/importer.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/onnx/naming.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kMostProblems = 20;

[[noreturn]] void throw_at(const Node& node, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) problem.place = place_of(node);
  throw InputError(std::move(problems));
}

std::size_t spatial_axes_of(const Input& input) {
  if (!input.real && input.dims.size() == 2) return 1;
  if (input.real && input.dims.size() >= 2 && input.dims.size() <= 5) return input.dims.size() - 2;
  throw InputError("input " + in_quotes(input.name),
                   "has " + std::to_string(input.dims.size()) +
                       " axes, where the batch, the channels and up to 3 extents are read",
                   "export the network with an input such as batch x 3 x 224 x 224");
}

/// The axes of a sample: numbers at the positions of a text, or as images and tokens have them.
Axes axes_of_input(const Input& input, const Shape& shape, bool channels_are_last) {
  if (!input.real) return {{Axis::sample, 1}, {Axis::width, shape[Axis::width]}};
  return channels_are_last ? channels_last(shape, input.dims.size())
                           : channels_first(shape, input.dims.size());
}

/// 0 where the export leaves them open.
std::int64_t channels_of_input(const Input& input, bool channels_are_last) {
  if (!input.real) return 1;
  return (channels_are_last ? input.dims.back() : input.dims[1]).value_or(0);
}

}  // namespace

Importer::Importer(const Model& model, std::string name, const ModelOverrides& overrides)
    : model_(model),
      builder_(std::move(name)),
      skip_unknown_(overrides.skip_unknown),
      shapes_hold_(!overrides.input) {
  find_needed();
  if (!skip_unknown_) check_operators();
  for (const auto& [key, tensor] : model.constants) {
    Value value;
    value.constant = true;
    value.trained = tensor.real;
    value.tensor = tensor;
    value.tensor.source = key;
    values_.emplace(key, std::move(value));
  }
  place_inputs(overrides);
}

void Importer::find_needed() {
  if (model_.outputs.size() != 1) {
    throw InputError(
        "outputs", "the network has " + std::to_string(model_.outputs.size()) + " and one is read",
        "export it with the one output that the loss is computed of");
  }
  std::unordered_map<std::string, std::size_t> maker;
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
    for (const std::string& output : model_.nodes[i].outputs) {
      if (output.empty() || maker.emplace(output, i).second) continue;
      throw InputError(place_of(model_.nodes[i]),
                       "makes " + in_quotes(output) + ", which is made already",
                       "give each value one maker");
    }
  }
  std::vector<bool> needed(model_.nodes.size(), false);
  std::vector<std::string> open = {model_.outputs.front()};
  while (!open.empty()) {
    const auto found = maker.find(open.back());
    open.pop_back();
    if (found == maker.end() || needed[found->second]) continue;
    needed[found->second] = true;
    const std::vector<std::string>& inputs = model_.nodes[found->second].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const Node& node = model_.nodes[i];
    needed_.push_back(&node);
    for (const std::string& input : node.inputs) readers_[input].push_back(&node);
  }
}

void Importer::check_operators() const {
  std::vector<Problem> problems;
  for (const Node* node : needed_) {
    if (find_operator(node->type) != nullptr) continue;
    if (problems.size() == kMostProblems) break;
    problems.push_back({place_of(*node), "the operator " + in_quotes(node->type) + " is not known",
                        "price it by its bytes with --skip-unknown, or describe the network as in "
                        "models/README.md"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void Importer::place_inputs(const ModelOverrides& overrides) {
  if (overrides.classes) {
    throw InputError("--classes", "an ONNX file fixes its classes", "leave the option out");
  }
  // Weights that were left out are inputs of known extents; the data has a batch.
  const auto is_symbolic = [](const Input& input) {
    return input.real && !input.dims.empty() && !input.dims.front();
  };
  const auto is_real = [](const Input& input) { return input.real; };
  const auto is_text = [](const Input& input) { return input.dims.size() == 2; };
  auto data = std::find_if(model_.inputs.begin(), model_.inputs.end(), is_symbolic);
  if (data == model_.inputs.end()) {
    data = std::find_if(model_.inputs.begin(), model_.inputs.end(), is_real);
  }
  if (data == model_.inputs.end()) {
    data = std::find_if(model_.inputs.begin(), model_.inputs.end(), is_text);
  }
  if (data == model_.inputs.end()) {
    throw InputError("inputs", "none of them is an image, a volume, a vector or a text",
                     "export the network with the samples as its input");
  }
  for (const Input& input : model_.inputs) {
    if (&input == &*data) continue;
    Value value;
    value.constant = value.trained = input.real;
    value.label = !input.real;
    value.tensor.real = input.real;
    for (const auto& extent : input.dims) {
      if (value.label) break;
      if (!extent || *extent > kMostExtent) {
        throw InputError("input " + in_quotes(input.name), "is a second input of samples",
                         "export the network with one input");
      }
      value.tensor.dims.push_back(*extent);
    }
    values_.emplace(input.name, std::move(value));
  }
  place_data(*data, overrides);
}

/// Whether what reads the input takes its last axis for the channels.
bool Importer::has_channels_last(const Input& input) const {
  const auto found = readers_.find(input.name);
  if (found == readers_.end() || input.dims.size() < 3) return false;
  const Node& reader = *found->second.front();
  if (reader.type == "Transpose") {
    const Attribute* order = reader.find("perm");
    return order != nullptr && order->integers.size() == input.dims.size() &&
           order->integers[1] == static_cast<std::int64_t>(input.dims.size()) - 1;
  }
  const Attribute* axes = reader.find("axes");
  const bool normalizes_last =
      reader.type == "ReduceMean" && axes != nullptr &&
      (axes->integers == Integers{-1} ||
       axes->integers == Integers{static_cast<std::int64_t>(input.dims.size()) - 1});
  return normalizes_last || reader.type == "MatMul" || reader.type == "LayerNormalization";
}

void Importer::place_data(const Input& input, const ModelOverrides& overrides) {
  spatial_rank_ = spatial_axes_of(input);
  Shape shape;
  const bool last = has_channels_last(input);
  if (overrides.input) {
    shape = *overrides.input;
    require_input(*overrides.input, spatial_rank_, channels_of_input(input, last));
    if (!input.real && shape.channels() != 1) {
      throw InputError("--input", "the network reads one number at each position",
                       "write 1 and a length, such as 1x512");
    }
  } else {
    const Axes axes = axes_of_input(input, shape, last);
    for (std::size_t i = 1; i < input.dims.size(); ++i) {
      const Axis axis = axes[i].axis;
      if (!input.dims[i] || *input.dims[i] > kMostExtent) {
        throw InputError("input " + in_quotes(input.name),
                         "its " + std::string(name_of(axis)) + " is not known",
                         "give the extents with --input, such as 3x224x224");
      }
      shape[axis] = *input.dims[i];
    }
  }
  Value value;
  value.layer = builder_.input(shape, spatial_rank_);
  value.axes = axes_of_input(input, shape, last);
  names_.emplace("input", 1);
  values_.insert_or_assign(input.name, std::move(value));
}

void Importer::act(const Node& node) {
  if (node.outputs.empty()) throw InputError("", "it makes nothing");
  const Operator operate = find_operator(node.type);
  const LayerId before = builder_.so_far().size();
  try {
    if (operate != nullptr) return operate(*this, node);
  } catch (const InputError&) {
    // What it has added would be read by nobody.
    if (!skip_unknown_ || builder_.so_far().size() != before) throw;
  }
  stream(node);
}

Graph Importer::run() {
  for (const Node* node : needed_) {
    try {
      if (!done_.contains(node)) act(*node);
    } catch (const InputError& error) {
      throw_at(*node, error);
    }
  }
  const auto last = values_.find(model_.outputs.front());
  if (last == values_.end() || last->second.constant || last->second.label ||
      last->second.padded()) {
    throw InputError("output " + in_quotes(model_.outputs.front()), "does not depend on the input",
                     "export the network with its scores as output");
  }
  if (last->second.axes.front().axis != Axis::sample) {
    throw InputError("output " + in_quotes(model_.outputs.front()),
                     "does not have the batch for its first axis",
                     "export the network with the batch first");
  }
  if (!layer(last->second).kind->is_loss) {
    builder_.add(unique_name("loss", names_), "softmax_loss", {last->second.layer});
  }
  return builder_.finish();
}

const Value& Importer::value(const Node& node, std::size_t at) const {
  const std::string* name = node.input(at);
  if (name == nullptr) {
    throw InputError("", "its input " + std::to_string(at + 1) + " is missing",
                     "export the network again");
  }
  const auto found = values_.find(*name);
  if (found != values_.end()) return found->second;
  throw InputError("", "it reads " + in_quotes(*name) + ", which nothing before it makes",
                   "put the nodes in an order without cycles");
}

const Value& Importer::tensor(const Node& node, std::size_t at) const {
  const Value& found = value(node, at);
  if (found.constant || found.label) {
    throw InputError("", "its input " + std::to_string(at + 1) + " does not depend on the samples",
                     "fold constants before exporting (onnxsim)");
  }
  if (found.padded()) {
    throw InputError("", "it reads the output of a Pad, which only convolutions and pools do",
                     "export the network with the padding in its convolutions");
  }
  return found;
}

const Tensor& Importer::constant(const Node& node, std::size_t at) const {
  const Value& found = value(node, at);
  if (found.constant) return found.tensor;
  throw InputError("", "its input " + std::to_string(at + 1) + " must be a constant or a weight",
                   "fold constants before exporting (onnxsim)");
}

const Integers& Importer::integers(const Node& node, std::size_t at) const {
  const Tensor& tensor = constant(node, at);
  if (tensor.integers) return *tensor.integers;
  throw InputError("", "the integers of its input " + std::to_string(at + 1) + " are not known",
                   "fold constants before exporting (onnxsim)");
}

bool Importer::is_constant(const Node& node, std::size_t at) const {
  return value(node, at).constant;
}

void Importer::set(const Node& node, Value value, std::size_t output) {
  values_.insert_or_assign(node.outputs[output], std::move(value));
}

void Importer::set_integers(const Node& node, Integers values, bool scalar) {
  if (values.size() > kMostKept) throw InputError("", "its shape has too many axes");
  Value value;
  value.constant = true;
  if (!scalar) value.tensor.dims = {static_cast<std::int64_t>(values.size())};
  value.tensor.integers = std::move(values);
  set(node, std::move(value));
}

void Importer::add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                   const Attributes& attributes, const Axes& axes, std::size_t output) {
  Value value;
  value.layer = builder_.add(name_for(node), kind, inputs, attributes);
  value.axes = axes;
  ensure(shape_of(axes) == layer(value).output, "axes that are not those of their layer");
  share_weights(node, value.layer);
  set(node, std::move(value), output);
}

/// Weights of the file that an earlier layer has used are its weights.
void Importer::share_weights(const Node& node, LayerId made) {
  const std::vector<Weight> weights = builder_.so_far()[made].weights;
  std::vector<std::string> read = node.inputs;
  const Node* bias = only_reader(node, "Add");
  if (bias != nullptr && is_bias(*bias))
    read.insert(read.end(), bias->inputs.begin(), bias->inputs.end());
  std::size_t next = 0;
  for (const std::string& name : read) {
    const Value* constant = known(name);
    if (next == weights.size() || constant == nullptr || !constant->trained) continue;
    const Weight& weight = weights[next++];
    const auto [owner, first] = owners_.try_emplace(constant->tensor.source, made);
    if (first || owner->second == made) continue;
    for (const Weight& candidate : builder_.so_far()[owner->second].weights) {
      if (candidate.name != weight.name || candidate.elements != weight.elements) continue;
      builder_.share(made, weight.name, owner->second);
    }
  }
}

void Importer::add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                   const Attributes& attributes, std::size_t rank) {
  Value value;
  value.layer = builder_.add(name_for(node), kind, inputs, attributes);
  value.axes = channels_first(layer(value).output, rank);
  share_weights(node, value.layer);
  set(node, std::move(value));
}

void Importer::add(const Node& node, std::string_view kind, const Attributes& attributes) {
  const Value& input = tensor(node, 0);
  add(node, kind, {input.layer}, attributes, Axes(input.axes));
}

void Importer::add_at(const Node& first, const Node& last, std::string_view kind,
                      const std::vector<LayerId>& inputs, const Attributes& attributes,
                      const Axes& axes) {
  Node whole = first;
  whole.outputs = last.outputs;
  add(whole, kind, inputs, attributes, axes);
}

Value Importer::meaning(const Node& node, Value value, const Axes& axes) {
  if (same_meaning(value.axes, axes)) return value;
  const Shape shape = shape_of(axes);
  const Shape own = layer(value).output;
  const bool renamed =
      std::equal(value.axes.begin(), value.axes.end(), axes.begin(), axes.end(),
                 [](const Extent& x, const Extent& y) { return x.extent == y.extent; });
  if (shape == own && renamed && own.positions() > 1) {
    throw InputError("", "channels and positions change places, and there are as many of each",
                     "give the input another extent with --input");
  }
  if (shape != own) {
    const std::string name = unique_name(layer_name(node, "") + ".view", names_);
    value.layer = builder_.add(name, "reshape", {value.layer}, written(shape, spatial_rank_));
  }
  value.axes = axes;
  return value;
}

Value Importer::image(const Node& node, std::size_t at) {
  const Value& input = value(node, at);
  if (input.constant || input.label) return tensor(node, at);
  Shape shape;
  const std::size_t rank = input.rank();
  const Axes order = channels_first(shape, rank);
  if (rank < 2 || rank > spatial_rank_ + 2 || input.axes.front().axis != Axis::sample) {
    throw InputError("", "its input has no channels behind the batch");
  }
  Axes axes = order;
  for (std::size_t i = 0; i < rank; ++i) axes[i].extent = input.axes[i].extent;
  return meaning(node, input, axes);
}

bool Importer::takes_bias(const Node& node, std::int64_t features) {
  const auto found = readers_.find(node.outputs.front());
  if (found == readers_.end() || found->second.size() != 1 || is_output(node)) return false;
  const Node& reader = *found->second.front();
  if (reader.type != "Add" || reader.inputs.size() != 2) return false;
  const std::size_t other = reader.inputs[0] == node.outputs.front() ? 1 : 0;
  const auto added = values_.find(reader.inputs[other]);
  if (added == values_.end() || !added->second.constant || !added->second.tensor.real ||
      !added->second.tensor.holds(features)) {
    return false;
  }
  biases_.insert(&reader);
  return true;
}

const std::vector<const Node*>& Importer::readers(const Node& node) const {
  static const std::vector<const Node*> kNone;
  const auto found = readers_.find(node.outputs.front());
  return found == readers_.end() ? kNone : found->second;
}

const Node* Importer::only_reader(const Node& node, std::string_view type) const {
  const std::vector<const Node*>& all = readers(node);
  const bool one = all.size() == 1 && all.front()->type == type && !is_output(node);
  return one && !all.front()->outputs.empty() ? all.front() : nullptr;
}

bool Importer::is_read(const Node& node, std::size_t output) const {
  const std::string& name = node.outputs[output];
  return !name.empty() && (readers_.contains(name) || name == model_.outputs.front());
}

const Value* Importer::known(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

bool Importer::is_output(const Node& node) const {
  return node.outputs.front() == model_.outputs.front();
}

std::string Importer::name_for(const Node& node) {
  const std::string* weight = node.input(1);
  const bool weighted = weight != nullptr && model_.constants.contains(*weight);
  return unique_name(layer_name(node, weighted ? *weight : ""), names_);
}

}  // namespace oracle::onnx
