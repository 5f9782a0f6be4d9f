// Convolutions and products of integers: their operands lie at other inputs.

#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

Node with_inputs(const Node& node, const std::vector<std::size_t>& at) {
  Node same = node;
  same.inputs.clear();
  for (const std::size_t each : at) {
    same.inputs.push_back(node.input(each) == nullptr ? "" : *node.input(each));
  }
  return same;
}

}  // namespace

void quantized_convolution(Importer& importer, const Node& node) {
  const bool scaled = node.type == "QLinearConv";
  convolution(importer, scaled ? with_inputs(node, {0, 3, 8}) : with_inputs(node, {0, 1}));
}

void quantized_matmul(Importer& importer, const Node& node) {
  const bool scaled = node.type == "QLinearMatMul";
  matmul(importer, scaled ? with_inputs(node, {0, 3}) : with_inputs(node, {0, 1}));
}

/// Rounded to what an integer can hold, whatever axis its scales are for.
void fake_quantize(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  importer.add_general(node, "elementwise", {input.layer}, input.axes);
}

/// Its scale and its zero are numbers for the whole tensor, and cost nothing besides.
void dynamic_quantize(Importer& importer, const Node& node) {
  Node first = node;
  first.outputs.resize(1);
  combine(importer, first);
  for (std::size_t output = 1; output < node.outputs.size(); ++output) {
    if (node.outputs[output].empty()) continue;
    Value number;
    number.constant = true;
    number.tensor.real = output == 1;
    importer.set(node, std::move(number), output);
  }
}

}  // namespace oracle::onnx
