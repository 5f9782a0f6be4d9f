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
  if (pass == Pass::backward_weights && plan.strategy.micro_batches > 1 && plan.strategy.zero < 2) {
    return room + Bytes{weights * precision.gradient_bytes};
  }
  return room;
}

}  // namespace oracle
