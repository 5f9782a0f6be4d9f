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
    Function{"Relu", "relu"},           Function{"LeakyRelu", "leaky_relu"},
    Function{"Sigmoid", "sigmoid"},     Function{"Tanh", "tanh"},
    Function{"HardSwish", "hardswish"}, Function{"HardSigmoid", "hardsigmoid"},
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

void check_ranks(const Importer& importer, const Node& node) {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (importer.tensor(node, i).rank == importer.tensor(node, 0).rank) continue;
    throw InputError("", "its inputs differ in their number of axes");
  }
}

bool all_constant(const Importer& importer, const Node& node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!importer.is_constant(node, i)) return false;
  }
  return true;
}

}  // namespace

void activation(Importer& importer, const Node& node) {
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

void dropout(Importer& importer, const Node& node) { importer.add(node, "dropout"); }

void sum(Importer& importer, const Node& node) {
  if (importer.is_bias(node)) {
    return importer.set(node, importer.tensor(node, importer.is_constant(node, 0) ? 1 : 0));
  }
  if (all_constant(importer, node)) return integer_arithmetic(importer, node);
  std::vector<LayerId> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    inputs.push_back(importer.tensor(node, i).layer);
  }
  check_ranks(importer, node);
  if (inputs.size() == 1) return identity(importer, node);
  importer.add(node, "add", inputs, {}, importer.tensor(node, 0).rank);
}

void multiply(Importer& importer, const Node& node) {
  if (all_constant(importer, node)) return integer_arithmetic(importer, node);
  Value larger = importer.tensor(node, 0);
  Value gate = importer.tensor(node, 1);
  check_ranks(importer, node);
  if (importer.layer(larger).output.elements() < importer.layer(gate).output.elements()) {
    std::swap(larger, gate);
  }
  importer.add(node, "multiply", {larger.layer, gate.layer}, {}, larger.rank);
}

void identity(Importer& importer, const Node& node) { importer.set(node, importer.value(node, 0)); }

}  // namespace oracle::onnx
