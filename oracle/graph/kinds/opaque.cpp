// What does an operator cost of which only the tensors are known?
//
// At least the time to move them: each pass streams the inputs and the output once, and no
// operation is counted. Nothing is known of which output needs which input, so it is never cut but
// along the samples, and its inputs are kept.
//
// Worked: 64x28x28 → 10x14x14: 0 FLOP, 52,136 elements a pass tests/graph/kinds/opaque_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr std::size_t kMostInputs = 4096;

constexpr AttributeDoc kAttributes[] = {
    kOutputAttributes[0],
    kOutputAttributes[1],
    {"operator", "what it is called"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  layer.output = read_output(layer, attributes);
  const AttributeValue* called = attributes.find("operator");
  if (called != nullptr && !std::holds_alternative<std::string>(*called)) {
    throw InputError("", "\"operator\" must be a word");
  }
  double elements = 0;
  for (const Shape& shape : inputs) elements += static_cast<double>(shape.elements());
  const double read = elements / static_cast<double>(layer.input.elements());
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  layer.work = {{{0, read, 1, 0}, {0, read, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kOpaqueKind{"opaque",    "an operator that is not known, priced by its bytes",
                       kAttributes, 1,
                       kMostInputs, false,
                       describe};

}  // namespace oracle
