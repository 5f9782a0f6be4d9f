#include "oracle/plan/storage.h"

#include "oracle/plan/busiest_rows.h"
#include "oracle/plan/promotion.h"

namespace oracle {
namespace {

std::int64_t filled_up(std::int64_t channels, std::int64_t block) {
  return (channels + block - 1) / block * block;
}

/// `elements` of a layer's output in a layout, once its channels fill whole blocks.
std::int64_t in_blocks(std::int64_t elements, const Layer& layer, const Plan& plan,
                       const Layout& layout) {
  if (plan.channel_block == 1) return elements;
  Shape of_channels;
  of_channels[Axis::channel] = layer.output.channels();
  const std::int64_t channels = local_elements(of_channels, 1, layout, plan.degrees, layer.grain);
  return elements / channels * stored_channels(channels, layer.output, plan.channel_block);
}

}  // namespace

Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout) {
  return bytes_in(graph, plan, tensor, layout, value_bytes(graph, plan, tensor));
}

Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout,
               double each) {
  const Layer& layer = graph[tensor];
  std::int64_t elements =
      local_elements(layer.output, plan.micro_batch_samples(), layout, plan.degrees, layer.grain);
  if (tensor != 0) elements = in_blocks(elements, layer, plan, layout);
  const RowsHeld rows = rows_held(graph, plan.strategy, plan.degrees, tensor, layout);
  return Bytes{each * rows.of(static_cast<double>(elements))};
}

std::int64_t stored_channels(std::int64_t channels, const Shape& shape, std::int64_t block) {
  return shape.positions() == 1 ? channels : filled_up(channels, block);
}

std::int64_t stored_weights(const Layer& layer, const Piece& piece, std::int64_t block) {
  if (!layer.trainable() || !layer.has_filters()) return piece.weights;
  const std::int64_t filters = piece.output.channels();
  const std::int64_t stored_filters = filled_up(filters, block);
  if (layer.mixing != Mixing::contraction || layer.reach == Reach::whole) {
    return piece.weights + (stored_filters - filters) * piece.reduction;
  }
  if (piece.groups > 1) return piece.weights;
  const std::int64_t channels = piece.input.channels();
  const bool as_it_came = layer.inputs.front() == 0;
  const std::int64_t stored = as_it_came ? channels : filled_up(channels, block);
  return piece.weights + (stored_filters * stored - filters * channels) * layer.window.volume();
}

}  // namespace oracle
