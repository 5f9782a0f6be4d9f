// What does dropping the spatial axes cost? Nothing: the tensor is seen as C·D·H·W channels.
//
// Tensors are channel-major, so input channel c becomes the block of features [c·P, (c+1)·P), P the
// positions: a shard of channels stays a shard. A shard of positions does not, so it reads them
// all, unless there is only one.
//
// Worked: 512x7x7 → 25088                                    tests/graph/kinds/elementwise_test.cpp

#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  layer.output = {};
  layer.output[Axis::channel] = layer.input.elements();
  layer.mixing = Mixing::channelwise;
  layer.reach = layer.input.positions() == 1 ? Reach::pointwise : Reach::whole;
  layer.in_place = true;
}

}  // namespace

const Kind kFlattenKind{"flatten", "drops the spatial axes", {}, 1, 1, false, describe};

}  // namespace oracle
