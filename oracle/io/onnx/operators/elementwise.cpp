// What acts on each element.

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

struct Function {
  std::string_view type;
  const char* name;
};

constexpr std::array kFunctions = {
    Function{"Relu", "relu"},
    Function{"LeakyRelu", "leaky_relu"},
    Function{"Sigmoid", "sigmoid"},
    Function{"Tanh", "tanh"},
    Function{"HardSwish", "hardswish"},
    Function{"HardSigmoid", "hardsigmoid"},
    Function{"Gelu", "gelu"},
    Function{"Elu", "elu"},
    Function{"Selu", "selu"},
    Function{"Softplus", "softplus"},
    Function{"Mish", "mish"},
    Function{"Erf", "erf"},
    Function{"Exp", "exp"},
    Function{"Log", "log"},
    Function{"Sqrt", "sqrt"},
    Function{"Abs", "abs"},
    Function{"Neg", "linear"},
    Function{"Reciprocal", "power"},
};

/// A bound of a Clip: of an older file an attribute, else an input.
std::optional<double> bound(const Importer& importer, const Node& node, std::string_view name,
                            std::size_t at) {
  if (const Attribute* attribute = node.find(name)) return attribute->real;
  if (node.input(at) == nullptr) return {};
  const Tensor& tensor = importer.constant(node, at);
  if (tensor.reals && tensor.reals->size() == 1) return tensor.reals->front();
  throw InputError("", "its bounds are not known", "fold constants before exporting (onnxsim)");
}

bool all_constant(const Importer& importer, const Node& node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!importer.is_constant(node, i)) return false;
  }
  return true;
}

/// Arithmetic on constants: of integers carried out, of real numbers only their extents are kept.
void fold(Importer& importer, const Node& node) {
  Tensor widest;
  bool known = true;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Tensor& operand = importer.constant(node, i);
    known = known && operand.integers.has_value();
    if (i == 0 || operand.elements() > widest.elements()) widest = operand;
  }
  if (known && node.inputs.size() == 2) return integer_arithmetic(importer, node);
  if (!widest.real) throw InputError("", "the integers that it computes are not known");
  Value value;
  value.constant = true;
  value.tensor.dims = widest.dims;
  value.tensor.real = true;
  importer.set(node, std::move(value));
}

/// A tensor and a constant: trained where it is a weight of the file and more than a number.
void with_constant(Importer& importer, const Node& node, std::size_t at) {
  const Value& input = importer.tensor(node, 1 - at);
  const Value& operand = importer.value(node, at);
  const std::int64_t elements = operand.tensor.elements();
  const bool sums = node.type == "Add" || node.type == "Sub" || node.type == "Sum";
  if (node.type == "Pow") {
    return importer.add(node, "activation", {input.layer}, {{"function", std::string("power")}},
                        Axes(input.axes));
  }
  if (!operand.trained || elements == 1) {
    return importer.add(node, "activation", {input.layer}, {{"function", std::string("linear")}},
                        Axes(input.axes));
  }
  importer.add(node, "affine", {input.layer},
               {{"operation", std::string(sums ? "shift" : "scale")}, {"elements", elements}},
               Axes(input.axes));
}

/// The node's inputs as tensors that mean the same as its first.
std::vector<Value> alike(Importer& importer, const Node& node) {
  const Axes first = importer.tensor(node, 0).axes;
  std::vector<Value> values;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& value = importer.tensor(node, i);
    if (value.rank() != first.size()) {
      throw InputError("", "its inputs differ in their number of axes");
    }
    Axes wanted = first;
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
      wanted[axis].extent = value.axes[axis].extent;
    }
    values.push_back(importer.meaning(node, value, wanted));
  }
  return values;
}

/// Which of two inputs is a constant beside a tensor; none where both are tensors.
std::optional<std::size_t> constant_beside(const Importer& importer, const Node& node) {
  if (node.inputs.size() != 2) return {};
  if (importer.is_constant(node, 1)) return 1;
  if (importer.is_constant(node, 0)) return 0;
  return {};
}

}  // namespace

void activation(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) return fold(importer, node);
  const auto* function =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [&](const Function& candidate) { return candidate.type == node.type; });
  ensure(function != kFunctions.end(), "an activation of ONNX has no function");
  importer.add(node, "activation", {{"function", std::string(function->name)}});
}

void clip(Importer& importer, const Node& node) {
  const bool relu = bound(importer, node, "min", 1) == 0 && !bound(importer, node, "max", 2);
  importer.add(node, "activation", {{"function", std::string(relu ? "relu" : "relu6")}});
}

/// y = x where x > 0, else w·x: the touches of a trained scale.
void leaky_with_weights(Importer& importer, const Node& node) {
  importer.add(
      node, "affine",
      {{"operation", std::string("scale")}, {"elements", importer.constant(node, 1).elements()}});
}

void dropout(Importer& importer, const Node& node) { importer.add(node, "dropout"); }

void sum(Importer& importer, const Node& node) {
  if (importer.is_bias(node)) {
    return importer.set(node, importer.tensor(node, importer.is_constant(node, 0) ? 1 : 0));
  }
  if (all_constant(importer, node)) return fold(importer, node);
  if (const auto at = constant_beside(importer, node)) return with_constant(importer, node, *at);
  const std::vector<Value> values = alike(importer, node);
  if (values.size() == 1) return identity(importer, node);
  std::vector<LayerId> inputs;
  for (const Value& value : values) inputs.push_back(value.layer);
  importer.add(node, "add", inputs, {}, values.front().axes);
}

void multiply(Importer& importer, const Node& node) {
  if (all_constant(importer, node)) return fold(importer, node);
  if (const auto at = constant_beside(importer, node)) return with_constant(importer, node, *at);
  std::vector<Value> values = alike(importer, node);
  if (values.size() != 2) throw InputError("", "it needs two inputs");
  if (importer.layer(values[0]).output.elements() < importer.layer(values[1]).output.elements()) {
    std::swap(values[0], values[1]);
  }
  importer.add(node, "multiply", {values[0].layer, values[1].layer}, {}, values[0].axes);
}

void divide(Importer& importer, const Node& node) {
  if (gelu_written_out(importer, node)) return;
  multiply(importer, node);
}

void power(Importer& importer, const Node& node) {
  if (all_constant(importer, node)) return fold(importer, node);
  if (!importer.is_constant(node, 1)) throw InputError("", "its exponent is not a constant");
  with_constant(importer, node, 1);
}

void identity(Importer& importer, const Node& node) { importer.set(node, importer.value(node, 0)); }

}  // namespace oracle::onnx
