// What does an activation function compute and touch?
//
//   y = f(x), element by element
//
// Forward reads x and writes y. The derivative of relu, relu6, leaky_relu, sigmoid, tanh, elu,
// selu, exp and sqrt follows from y alone, so they run in place and keep y; that of a linear
// function needs neither; that of the others needs x. Backward reads that tensor and dy and writes
// dx. Operations per element are counted with an exponential or an error function as one: figures
// of no weight beside the bytes.
//
// Worked: relu on 64x112x112 keeps its output, in place, 802,816 operations
//                                                             tests/graph/kinds/activation_test.cpp

#include <array>

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

/// What the derivative follows from.
enum class Needs : std::uint8_t { output, input, nothing };

struct Function {
  std::string_view name;
  double forward = 0;
  double backward = 0;
  Needs needs = Needs::output;
};

constexpr std::array kFunctions = {
    Function{"relu", 1, 1},
    Function{"relu6", 2, 2},
    Function{"relu2", 2, 3, Needs::input},
    Function{"leaky_relu", 2, 2},
    Function{"sigmoid", 3, 3},
    Function{"tanh", 3, 3},
    Function{"silu", 4, 6, Needs::input},
    Function{"hardswish", 4, 4, Needs::input},
    Function{"hardsigmoid", 3, 2, Needs::input},
    Function{"gelu", 5, 9, Needs::input},
    Function{"elu", 3, 2},
    Function{"selu", 4, 3},
    Function{"softplus", 3, 3, Needs::input},
    Function{"mish", 5, 9, Needs::input},
    Function{"erf", 1, 4, Needs::input},
    Function{"exp", 1, 1},
    Function{"log", 1, 1, Needs::input},
    Function{"sqrt", 1, 2},
    Function{"abs", 1, 2, Needs::input},
    Function{"power", 1, 3, Needs::input},
    Function{"linear", 2, 1, Needs::nothing},
};

constexpr AttributeDoc kAttributes[] = {
    {"function",
     "relu, relu6, relu2, leaky_relu, sigmoid, tanh, silu, hardswish, hardsigmoid, gelu, elu, "
     "selu, "
     "softplus, mish, erf, exp, log, sqrt, abs, power or linear; relu"},
    {"written_out", "whether the network's code writes it in element-wise operations; false"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  const Function& function = kFunctions[attributes.choice("function", names)];
  layer.variant = function.name;
  layer.written_out = attributes.flag("written_out", false);
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.keeps_input = function.needs == Needs::input;
  layer.keeps_output = function.needs == Needs::output;
  layer.in_place = function.needs != Needs::input;
  const double read_again = function.needs == Needs::nothing ? 0 : 1;
  PassWork backward{function.backward, 1, 1, 0};
  (layer.keeps_input ? backward.input_touches : backward.output_touches) += read_again;
  layer.work = {{{function.forward, 1, 1, 0}, backward, {}}};
}

}  // namespace

const Kind kActivationKind{"activation", "a function of each element", kAttributes, 1, 1, false,
                           describe};

}  // namespace oracle
