// What operators read, and what they make of it.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/onnx/importer.h"
#include "oracle/io/onnx/naming.h"

namespace oracle::onnx {
namespace {

constexpr const char* kFoldRemedy = "fold constants before exporting (onnxsim)";

std::string input_text(std::size_t at) { return "its input " + std::to_string(at + 1); }

/// The stored tensors that a constant is computed from, as one word.
std::string key_of(const Tensor& tensor) {
  std::vector<std::string> names;
  for (const auto& [name, elements] : tensor.sources) names.push_back(name);
  std::sort(names.begin(), names.end());
  std::string key;
  for (const std::string& name : names) key += std::to_string(name.size()) + ":" + name;
  return key;
}

}  // namespace

const Value& Importer::value(const Node& node, std::size_t at) const {
  const std::string* name = node.input(at);
  if (name == nullptr) {
    throw InputError("", input_text(at) + " is missing", "export the network again");
  }
  const auto found = values_.find(*name);
  if (found != values_.end()) return found->second;
  throw InputError("", "it reads " + in_quotes(*name) + ", which nothing before it makes",
                   "put the nodes in an order without cycles");
}

const Value& Importer::tensor(const Node& node, std::size_t at) {
  const Value& found = value(node, at);
  if (found.constant) {
    throw InputError("", input_text(at) + " does not depend on the samples", kFoldRemedy);
  }
  if (!found.awaited) return found;
  Value& awaited = values_.at(*node.input(at));
  const std::string name = unique_name(plain_name(*node.input(at)), names_);
  awaited.layer = builder_.add(name.empty() ? "further_input" : name, "further_input", {0},
                               written(shape_of(awaited.axes), spatial_rank_));
  awaited.awaited = false;
  return awaited;
}

const Tensor& Importer::constant(const Node& node, std::size_t at) const {
  const Value& found = value(node, at);
  if (found.constant) return found.tensor;
  throw InputError("",
                   input_text(at) + " must be a constant or a weight, and depends on the samples",
                   "export the network with that operand fixed");
}

const Integers& Importer::integers(const Node& node, std::size_t at) const {
  const Tensor& tensor = constant(node, at);
  if (tensor.integers) return *tensor.integers;
  throw InputError("", "the integers of " + input_text(at) + " are not known", kFoldRemedy);
}

Integers Importer::listed(const Node& node, std::size_t at, std::string_view attribute) const {
  return node.input(at) != nullptr ? integers(node, at) : list_of(node, attribute);
}

std::vector<std::size_t> Importer::axes(const Node& node, std::size_t at, std::size_t rank) const {
  return axes_of(listed(node, at, "axes"), rank);
}

bool Importer::is_constant(const Node& node, std::size_t at) const {
  return node.input(at) != nullptr && value(node, at).constant;
}

bool Importer::make_tensor(const Node& node, std::size_t at) {
  const Value& constant = value(node, at);
  const Integers& dims = constant.tensor.dims;
  const auto batch = std::find(dims.begin(), dims.end(), batch_);
  if (!constant.constant || dims.size() < 3 || batch == dims.end()) return false;
  Value made;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    Axis axis = dim + 1 == dims.end() ? Axis::channel : Axis::width;
    if (dim == batch) axis = Axis::sample;
    made.axes.emplace_back(axis, *dim);
  }
  Attributes attributes = written(shape_of(made.axes), spatial_rank_);
  const std::int64_t stored = count_stored(constant.tensor);
  if (stored > 0) attributes.set("stored", stored);
  const std::string name = unique_name(plain_name(*node.input(at)), names_);
  made.layer = builder_.add(name, "further_input", {0}, attributes);
  values_.insert_or_assign(*node.input(at), std::move(made));
  return true;
}

void Importer::set(const Node& node, Value value, std::size_t output) {
  values_.insert_or_assign(node.outputs[output], std::move(value));
}

void Importer::add(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                   const Attributes& attributes, const Axes& axes, std::size_t output) {
  const Value made = make(node, kind, inputs, attributes, [&](const Shape&) { return axes; });
  settle_weights(read_by(node), made.layer);
  set(node, made, output);
}

void Importer::add_made(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                        const Attributes& attributes, const AxesOf& axes_of) {
  const Value made = make(node, kind, inputs, attributes, axes_of);
  settle_weights(read_by(node), made.layer);
  set(node, made);
}

Value Importer::make(const Node& node, std::string_view kind, const std::vector<LayerId>& inputs,
                     const Attributes& attributes, const AxesOf& axes_of) {
  Value value;
  value.layer = builder_.add(name_for(node), kind, inputs, attributes);
  value.axes = axes_of(layer(value).output);
  ensure(shape_of(value.axes) == layer(value).output, "axes that are not those of their layer");
  return value;
}

void Importer::add_image(const Node& node, std::string_view kind,
                         const std::vector<LayerId>& inputs, const Attributes& attributes,
                         std::size_t rank) {
  add_made(node, kind, inputs, attributes,
           [&](const Shape& made) { return channels_first(made, rank, batch_); });
}

void Importer::add_alike(const Node& node, std::string_view kind, const Attributes& attributes) {
  const Value input = tensor(node, 0);
  add(node, kind, {input.layer}, attributes, input.axes);
}

void Importer::add_general(const Node& node, std::string_view kind,
                           const std::vector<LayerId>& inputs, const Axes& axes,
                           const Attributes& more, std::size_t output) {
  Attributes attributes = written(shape_of(axes), spatial_rank_);
  attributes.set("operator", plain_name(node.type));
  for (const auto& [name, value] : more.all()) attributes.set(name, value);
  Value value;
  value.layer = builder_.add(name_for(node), kind, inputs, attributes);
  value.axes = axes;
  set(node, std::move(value), output);
}

/// Stored elements that a constant is computed from and no layer has yet; from now on one has them.
std::int64_t Importer::count_stored(const Tensor& tensor) {
  std::int64_t stored = 0;
  for (const auto& [source, elements] : tensor.sources) {
    if (elements > 1 && counted_.insert(source).second) stored += elements;
  }
  return stored;
}

std::int64_t Importer::newly_stored(const Node& node) {
  std::int64_t stored = 0;
  for (const std::string& name : read_by(node)) {
    const Tensor& tensor = known(name)->tensor;
    if (tensor.real) stored += count_stored(tensor);
  }
  return stored;
}

void Importer::pass_over_constants(const Node& node, std::size_t first) {
  for (std::size_t at = first; at < node.inputs.size(); ++at) {
    const Value* value = known(node.inputs[at]);
    if (value == nullptr || !value->constant || !value->tensor.real) continue;
    const auto& reals = value->tensor.reals;
    if (reals && std::all_of(reals->begin(), reals->end(), [](double x) { return x == 0; })) {
      continue;
    }
    for (const auto& [source, elements] : value->tensor.sources) {
      if (elements > 1 && !counted_.contains(source)) passed_over_.insert(source);
    }
  }
  notes_.masks = static_cast<std::int64_t>(passed_over_.size());
}

void Importer::add_for(const std::vector<const Node*>& nodes, std::string_view kind,
                       const std::vector<LayerId>& inputs, const Attributes& attributes,
                       const Axes& axes) {
  Node whole = *nodes.front();
  whole.outputs = nodes.back()->outputs;
  const Value made = make(whole, kind, inputs, attributes, [&](const Shape&) { return axes; });
  std::vector<std::string> read;
  for (const Node* node : nodes) {
    for (std::string& name : read_by(*node)) read.push_back(std::move(name));
    if (node != nodes.front()) leave_out(*node);
  }
  settle_weights(read, made.layer);
  set(whole, made);
}

/// The constants of more than a number that a node reads, and those of the Add that is its bias.
std::vector<std::string> Importer::read_by(const Node& node) const {
  std::vector<std::string> read = node.inputs;
  const Node* bias = node.outputs.empty() ? nullptr : only_reader(node, "Add");
  if (bias != nullptr && is_bias(*bias)) {
    read.insert(read.end(), bias->inputs.begin(), bias->inputs.end());
  }
  std::erase_if(read, [this](const std::string& name) {
    const Value* constant = known(name);
    return constant == nullptr || !constant->constant || constant->tensor.holds(1);
  });
  return read;
}

/// Matches the weights of a layer with the stored tensors that they are or are computed from. What
/// an earlier layer has already is shared or not counted again.
void Importer::settle_weights(const std::vector<std::string>& read, LayerId made) {
  const std::vector<Weight> weights = builder_.so_far()[made].weights;
  std::int64_t own = 0, stored = 0;
  std::vector<std::pair<std::string, LayerId>> shared;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    own += weights[i].elements;
    if (i >= read.size()) {
      stored += weights[i].elements;
      continue;
    }
    const Tensor& tensor = known(read[i])->tensor;
    const auto [owner, first] =
        owners_.try_emplace(key_of(tensor), std::pair(made, weights[i].name));
    if (!first && !tensor.sources.empty()) {
      for (const Weight& candidate : builder_.so_far()[owner->second.first].weights) {
        const bool alike = candidate.name == weights[i].name &&
                           candidate.elements == weights[i].elements && owner->second.first != made;
        if (!alike) continue;
        shared.emplace_back(weights[i].name, owner->second.first);
        stored += weights[i].elements;
        break;
      }
    }
    stored += count_stored(tensor);
  }
  if (stored != own) builder_.store(made, stored);
  for (const auto& [name, owner] : shared) {
    const auto& now = builder_.so_far()[made].weights;
    const bool there = std::any_of(now.begin(), now.end(), [&shares = name](const Weight& weight) {
      return weight.name == shares;
    });
    if (there) builder_.share(made, name, owner);
  }
}

Value Importer::meaning(const Node& node, Value value, const Axes& axes) {
  if (value.axes == axes) return value;
  const Shape shape = shape_of(axes);
  const Shape own = layer(value).output;
  // Where channels and positions change places and are as many, a copy tells them apart.
  const bool turned =
      shape == own && own.positions() > 1 && own.channels() > 1 && !same_order(value.axes, axes);
  if (shape != own || turned) {
    const std::string name = unique_name(layer_name(node, "") + ".view", names_);
    Attributes attributes = written(shape, spatial_rank_);
    if (turned) attributes.set("operator", std::string("Transpose"));
    value.layer = builder_.add(name, turned ? "movement" : "reshape", {value.layer}, attributes);
  }
  value.axes = axes;
  return value;
}

Value Importer::image(const Node& node, std::size_t at) {
  const Value input = tensor(node, at);
  const std::size_t rank = input.rank();
  if (rank < 2 || rank > kSpatialAxes.size() + 2 || !input.axes.front().has_samples()) {
    throw InputError("", "its input has no channels behind the batch",
                     "export the network with the batch first and the channels second");
  }
  Axes axes = input.axes;
  const std::size_t spatial = rank - 2;
  if (!axes.front().is_samples()) {
    if (spatial == kSpatialAxes.size()) {
      throw InputError("", "its batch holds positions, and it has three spatial axes besides",
                       "export the network with the batch as an axis of its own");
    }
    axes.front() = axes.front().as(kSpatialAxes[kSpatialAxes.size() - spatial - 1]);
  }
  axes[1] = axes[1].as(Axis::channel);
  for (std::size_t i = 0; i < spatial; ++i) {
    axes[2 + i] = axes[2 + i].as(kSpatialAxes[kSpatialAxes.size() - spatial + i]);
  }
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
      added->second.tensor.sources.empty() || !added->second.tensor.holds(features)) {
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
  const bool ends =
      std::find(model_.outputs.begin(), model_.outputs.end(), name) != model_.outputs.end();
  return !name.empty() && (readers_.contains(name) || ends);
}

const Value* Importer::known(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

bool Importer::is_output(const Node& node) const {
  return std::find(model_.outputs.begin(), model_.outputs.end(), node.outputs.front()) !=
         model_.outputs.end();
}

std::string Importer::name_for(const Node& node) {
  const std::string* weight = node.input(1);
  const bool weighted = weight != nullptr && model_.constants.contains(*weight);
  return unique_name(layer_name(node, weighted ? *weight : ""), names_);
}

}  // namespace oracle::onnx
