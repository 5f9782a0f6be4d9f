// What does an activation function compute and touch?
//
//   y = f(x), element by element
//
// Forward reads x and writes y. The derivative of relu, relu6, leaky_relu, sigmoid and tanh follows
// from y alone, so they run in place and keep y; that of silu, hardswish and hardsigmoid needs x.
// Backward reads that tensor and dy and writes dx. Operations per element are counted with an
// exponential as one: figures of no weight beside the bytes.
//
// Worked: relu on 64x112x112 keeps its output, in place, 802,816 operations
//                                                             tests/graph/kinds/activation_test.cpp

#include <array>

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

struct Function {
  std::string_view name;
  double forward = 0;
  double backward = 0;
  bool from_output = false;  ///< the derivative follows from the output
};

constexpr std::array kFunctions = {
    Function{"relu", 1, 1, true},       Function{"relu6", 2, 2, true},
    Function{"leaky_relu", 2, 2, true}, Function{"sigmoid", 3, 3, true},
    Function{"tanh", 3, 3, true},       Function{"silu", 4, 6, false},
    Function{"hardswish", 4, 4, false}, Function{"hardsigmoid", 3, 2, false},
};

constexpr AttributeDoc kAttributes[] = {
    {"function", "relu, relu6, leaky_relu, sigmoid, tanh, silu, hardswish or hardsigmoid; relu"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  const Function& function = kFunctions[attributes.choice("function", names)];
  layer.variant = function.name;
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.keeps_input = !function.from_output;
  layer.keeps_output = function.from_output;
  layer.in_place = function.from_output;
  const PassWork from_output{function.backward, 1, 2, 0};
  const PassWork from_input{function.backward, 2, 1, 0};
  layer.work = {{{function.forward, 1, 1, 0}, function.from_output ? from_output : from_input, {}}};
}

}  // namespace

const Kind kActivationKind{"activation", "a function of each element", kAttributes, 1, 1, false,
                           describe};

}  // namespace oracle
