#include "oracle/memory/storage.h"

namespace oracle {
namespace {

std::int64_t filled_up(std::int64_t channels, std::int64_t block) {
  return (channels + block - 1) / block * block;
}

}  // namespace

std::int64_t stored_channels(std::int64_t channels, const Shape& shape, std::int64_t block) {
  return shape.positions() == 1 ? channels : filled_up(channels, block);
}

std::int64_t stored_weights(const Layer& layer, const Piece& piece, std::int64_t block) {
  if (!layer.trainable() || layer.reduction == 0) return piece.weights;
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
