// What acts on each element, of one tensor or of several.

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

struct Activation {
  std::string_view type;
  const char* name;
};

constexpr std::array kFunctions = {
    Activation{"Relu", "relu"},
    Activation{"LeakyRelu", "leaky_relu"},
    Activation{"Sigmoid", "sigmoid"},
    Activation{"Tanh", "tanh"},
    Activation{"HardSwish", "hardswish"},
    Activation{"HardSigmoid", "hardsigmoid"},
    Activation{"Gelu", "gelu"},
    Activation{"Elu", "elu"},
    Activation{"Selu", "selu"},
    Activation{"Softplus", "softplus"},
    Activation{"Mish", "mish"},
    Activation{"Erf", "erf"},
    Activation{"Exp", "exp"},
    Activation{"Log", "log"},
    Activation{"Sqrt", "sqrt"},
    Activation{"Abs", "abs"},
    Activation{"Neg", "linear"},
    Activation{"Reciprocal", "power"},
};

bool is_sum(std::string_view type) { return type == "Add" || type == "Sub" || type == "Sum"; }
bool is_product(std::string_view type) { return type == "Mul" || type == "Div"; }

/// A bound of a Clip that is known: of an older file an attribute, else an input.
std::optional<double> bound(const Importer& importer, const Node& node, std::string_view name,
                            std::size_t at) {
  if (const Attribute* attribute = node.find(name)) return attribute->real;
  if (!importer.is_constant(node, at)) return {};
  const Tensor& tensor = importer.constant(node, at);
  return tensor.reals && tensor.reals->size() == 1 ? std::optional(tensor.reals->front())
                                                   : std::nullopt;
}

bool is_there(const Importer& importer, const Node& node, std::string_view name, std::size_t at) {
  return node.find(name) != nullptr ||
         (node.input(at) != nullptr && importer.known(*node.input(at)));
}

/// The inputs of a node, as they are broadcast.
struct Operands {
  std::vector<Value> tensors;  ///< with the meanings of the output
  std::vector<Value> constants;
  Axes axes;  ///< of the output

  bool all_alike() const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](const Value& value) { return value.axes == axes; });
  }
};

/// The axis of an operand that lies at `axis` of an output of `rank`; none where it has fewer.
std::optional<std::size_t> aligned(std::size_t axis, std::size_t own_rank, std::size_t rank) {
  if (axis + own_rank < rank) return {};
  return axis + own_rank - rank;
}

/// The meaning of one axis of the output: that of the first operand that is as long.
Dim meaning_at(const std::vector<Value>& tensors, std::size_t axis, const Integers& extents) {
  Dim samples;
  for (const Value& value : tensors) {
    const auto at = aligned(axis, value.rank(), extents.size());
    if (!at) continue;
    if (value.axes[*at].extent() == extents[axis]) return value.axes[*at];
    if (value.axes[*at].has_samples()) samples = value.axes[*at];
  }
  // A constant makes it longer than any tensor.
  samples.append({axis + 1 == extents.size() ? Axis::channel : Axis::width, extents[axis]});
  return samples;
}

/// Before opset 7 the second operand may begin at an axis of the first: it gets axes of 1 behind.
Value begun_at(const Node& node, std::int64_t opset, Value value, std::size_t rank) {
  constexpr std::int64_t kAlignedAtTheEnd = 7;
  const Attribute* begin = node.find("axis");
  if (opset >= kAlignedAtTheEnd || begin == nullptr || !begin->integer) return value;
  const std::size_t axis = axis_of(*begin->integer, rank);
  const std::size_t own = value.extents().size();
  for (std::size_t i = axis + own; i < rank; ++i) {
    value.tensor.dims.push_back(1);
    value.axes.emplace_back();
  }
  return value;
}

Operands operands_of(Importer& importer, const Node& node) {
  Operands operands;
  Integers extents;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.input(i) == nullptr) continue;
    const bool constant = importer.is_constant(node, i);
    Value value = constant ? importer.value(node, i) : importer.tensor(node, i);
    if (i == 1) value = begun_at(node, importer.opset(), std::move(value), extents.size());
    extents = broadcast(extents, value.extents());
    (constant ? operands.constants : operands.tensors).push_back(std::move(value));
  }
  if (operands.tensors.empty()) importer.tensor(node, 0);  // refuses
  std::vector<Value> widest_first = operands.tensors;
  std::stable_sort(widest_first.begin(), widest_first.end(), [&](const Value& a, const Value& b) {
    return importer.shape(a).elements() > importer.shape(b).elements();
  });
  std::size_t with_samples = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    operands.axes.push_back(meaning_at(widest_first, axis, extents));
    with_samples += operands.axes.back().has_samples() ? 1 : 0;
  }
  for (Value& value : operands.tensors) {
    Axes wanted = value.axes;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const auto at = aligned(axis, value.rank(), extents.size());
      if (!at) continue;
      if (wanted[*at].has_samples() != operands.axes[axis].has_samples()) with_samples = 0;
      if (wanted[*at].extent() == extents[axis]) wanted[*at] = operands.axes[axis];
    }
    if (with_samples != 1) break;
    value = importer.meaning(node, value, wanted);
  }
  if (with_samples == 1) return operands;
  throw InputError("", "its inputs have the batch at different axes",
                   "export the network with the batch as the first axis");
}

/// Elements of a constant for one sample.
std::int64_t per_sample(const Tensor& constant, const Axes& axes) {
  std::int64_t elements = constant.elements();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto at = aligned(axis, constant.dims.size(), axes.size());
    const bool repeated = at && axes[axis].has_samples() && constant.dims[*at] > 1;
    if (repeated) elements /= axes[axis].samples();
  }
  return elements;
}

/// Whether a constant has different values at different positions, along more than one axis, and is
/// the same along another, as a mask or the sines of rotary positions are for all heads.
bool scales_positions(const Tensor& constant, const Axes& axes) {
  int varies = 0;
  bool positions = false, repeated = false;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].per_sample() == 1) continue;
    const auto at = aligned(axis, constant.dims.size(), axes.size());
    if (!at || constant.dims[*at] == 1) {
      repeated = true;
      continue;
    }
    ++varies;
    positions = positions || !axes[axis].is(Axis::channel);
  }
  return positions && repeated && varies > 1;
}

/// Whether a softmax follows, with nothing but sums and other shapes between.
bool feeds_softmax(const Importer& importer, const Node& node) {
  constexpr int kMostBetween = 4;
  const Node* next = &node;
  for (int i = 0; i <= kMostBetween; ++i) {
    const std::vector<const Node*>& readers = importer.readers(*next);
    if (readers.size() != 1 || readers.front()->outputs.empty()) return false;
    next = readers.front();
    if (next->type == "Softmax") return true;
    const bool passes = next->type == "Add" || next->type == "Reshape" || next->type == "Cast";
    if (!passes) return false;
  }
  return false;
}

/// Whether a constant that is added to the scores of an attention is the same for all heads: a
/// mask. Trained biases of positions differ from head to head.
bool is_mask_of_scores(const Importer& importer, const Node& node, const Tensor& constant,
                       const Axes& axes) {
  if (axes.size() < 3 || !feeds_softmax(importer, node)) return false;
  const std::size_t heads = axes.size() - 3;
  const auto at = aligned(heads, constant.dims.size(), axes.size());
  return axes[heads].per_sample() > 1 && (!at || constant.dims[*at] == 1);
}

/// A tensor and a constant: trained where it is stored and more than a number, unless it scales
/// positions (a mask, the sines of rotary positions).
bool with_constant(Importer& importer, const Node& node, const Operands& operands) {
  if (operands.tensors.size() != 1 || operands.constants.size() != 1) return false;
  const Value& input = operands.tensors.front();
  const Tensor& constant = operands.constants.front().tensor;
  if (input.axes != operands.axes) return false;
  const auto with_function = [&](const char* name) {
    importer.add(node, "activation", {input.layer}, {{"function", std::string(name)}}, input.axes);
    return true;
  };
  if (node.type == "Pow" && !importer.is_constant(node, 0)) {
    importer.pass_over_constants(node);
    return with_function("power");
  }
  if (!is_sum(node.type) && !is_product(node.type)) return false;
  if (!constant.real || constant.stored() <= 1) return with_function("linear");
  const bool mask = is_product(node.type) ? scales_positions(constant, input.axes)
                                          : is_mask_of_scores(importer, node, constant, input.axes);
  if (mask) {
    importer.pass_over_constants(node);
    return with_function("linear");
  }
  if (input.layer == 0) importer.note_input_constant();
  importer.add(node, "affine", {input.layer},
               {{"operation", std::string(is_sum(node.type) ? "shift" : "scale")},
                {"elements", per_sample(constant, input.axes)}},
               input.axes);
  return true;
}

std::vector<LayerId> layers_of(const std::vector<Value>& values) {
  std::vector<LayerId> layers;
  for (const Value& value : values) layers.push_back(value.layer);
  return layers;
}

/// A product with a gate for each channel, or of two tensors alike.
bool is_gate(const Importer& importer, const std::vector<Value>& values) {
  if (values.size() != 2) return false;
  const Shape &wide = importer.shape(values[0]), &gate = importer.shape(values[1]);
  return gate == wide || (gate.positions() == 1 && gate.channels() == wide.channels());
}

}  // namespace

void activation(Importer& importer, const Node& node) {
  const auto* function =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [&](const Activation& candidate) { return candidate.type == node.type; });
  if (function == kFunctions.end()) return combine(importer, node);
  importer.add_alike(node, "activation", {{"function", std::string(function->name)}});
}

void clip(Importer& importer, const Node& node) {
  const bool relu = bound(importer, node, "min", 1) == 0 && !is_there(importer, node, "max", 2);
  importer.add_alike(node, "activation", {{"function", std::string(relu ? "relu" : "relu6")}});
}

/// y = x where x > 0, else w·x: the touches of a trained scale.
void leaky_with_weights(Importer& importer, const Node& node) {
  if (!importer.is_constant(node, 1)) return combine(importer, node);
  importer.add_alike(
      node, "affine",
      {{"operation", std::string("scale")}, {"elements", importer.constant(node, 1).elements()}});
}

void dropout(Importer& importer, const Node& node) {
  importer.add_alike(node, "dropout");
  if (node.outputs.size() > 1 && importer.is_read(node, 1)) {
    importer.set(node, importer.made(node), 1);
  }
}

void combine(Importer& importer, const Node& node) {
  if (importer.is_bias(node)) {
    return importer.set(node, importer.tensor(node, importer.is_constant(node, 0) ? 1 : 0));
  }
  if (node.inputs.size() == 1 &&
      (is_sum(node.type) || node.type == "Max" || node.type == "Min" || node.type == "Mean")) {
    return identity(importer, node);
  }
  Operands operands = operands_of(importer, node);
  if (with_constant(importer, node, operands)) return;
  std::vector<Value>& values = operands.tensors;
  // The widest is the one that the layer's work is counted by.
  std::stable_sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
    return importer.shape(a).elements() > importer.shape(b).elements();
  });
  if (operands.constants.empty()) {
    if (is_sum(node.type) && operands.all_alike()) {
      return importer.add(node, "add", layers_of(values), {}, operands.axes);
    }
    if (is_product(node.type) && is_gate(importer, values) &&
        values.front().axes == operands.axes) {
      return importer.add(node, "multiply", layers_of(values), {}, operands.axes);
    }
  }
  Attributes attributes;
  if (is_sum(node.type)) {
    const std::int64_t stored = importer.newly_stored(node);
    if (stored > 0) attributes.set("stored", stored);
  } else {
    importer.pass_over_constants(node);
  }
  importer.add_general(node, "elementwise", layers_of(values), operands.axes, attributes);
}

void divide(Importer& importer, const Node& node) {
  if (gelu_written_out(importer, node)) return;
  combine(importer, node);
}

}  // namespace oracle::onnx
