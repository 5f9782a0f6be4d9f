// What does the input cost? Nothing: it is there when the step begins.

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  layer.output = layer.input;
}

}  // namespace

const Kind kInputKind{"input", "the samples of a batch", {}, 0, 0, false, describe};

}  // namespace oracle
