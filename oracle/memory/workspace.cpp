#include "oracle/memory/workspace.h"

#include <algorithm>

#include "oracle/plan/storage.h"

namespace oracle {
namespace {

constexpr Bytes kLimit{256.0 * 1024 * 1024};

Bytes lowered(const Layer& layer, const Piece& piece, const Plan& plan) {
  if (plan.channel_block > 1) return {};
  if (layer.mixing != Mixing::contraction || layer.reach != Reach::windowed) return {};
  const double inputs =
      static_cast<double>(piece.input.elements()) * static_cast<double>(piece.samples);
  return std::min(kLimit, Bytes{inputs * plan.training.precision.activation_bytes});
}

}  // namespace

Bytes workspace(const Layer& layer, const Piece& piece, Pass pass, const Plan& plan) {
  const Precision& precision = plan.training.precision;
  const Bytes room = lowered(layer, piece, plan);
  const auto weights = static_cast<double>(stored_weights(layer, piece, plan.channel_block));
  const bool exchanges = layer.reduction > 0 && layer.reach != Reach::whole;
  if (pass == Pass::backward_data && exchanges) {
    return std::max(room, Bytes{weights * precision.activation_bytes});
  }
  const bool adds_up = precision.has_main_gradients() || plan.strategy.micro_batches > 1;
  if (pass == Pass::backward_weights && adds_up && !plan.strategy.shards_gradients()) {
    const int made =
        precision.has_main_gradients() ? precision.made_bytes() : precision.gradient_bytes;
    return room + Bytes{weights * made};
  }
  return room;
}

}  // namespace oracle
