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

/// Whether a product's kernels copy the table that it multiplies by.
bool turns_table(const Graph& graph, const Plan& plan, const Layer& layer) {
  if (plan.channel_block == 1 || layer.looks_up || !layer.trainable()) return false;
  const LayerId owner = layer.weights.front().owner;
  return owner != 0 && graph[owner].looks_up;
}

/// What the kind itself asks for.
Bytes scratch(const Layer& layer, const Piece& piece, Pass pass) {
  if (pass > Pass::backward_weights) return {};
  return Bytes{layer.scratch_bytes_per_output[static_cast<std::size_t>(pass)] *
               static_cast<double>(piece.output.elements() * piece.samples)};
}

}  // namespace

Bytes workspace(const Graph& graph, const Plan& plan, LayerId id, Pass pass) {
  const Layer& layer = graph[id];
  const Piece& piece = plan.pieces[id];
  const Precision& precision = plan.training.precision;
  const Bytes room = lowered(layer, piece, plan) + scratch(layer, piece, pass);
  const auto weights = static_cast<double>(stored_weights(layer, piece, plan.channel_block));
  const bool exchanges = layer.reduction > 0 && layer.reach != Reach::whole;
  if (pass == Pass::backward_data && exchanges) {
    return std::max(room, Bytes{weights * precision.activation_bytes});
  }
  const bool turns = turns_table(graph, plan, layer);
  if (pass != Pass::backward_weights) {
    return turns ? room + Bytes{weights * precision.used_bytes()} : room;
  }
  const bool adds_up = precision.has_main_gradients() || plan.strategy.micro_batches > 1;
  if (turns || (adds_up && !plan.strategy.shards_gradients())) {
    const int made =
        precision.has_main_gradients() ? precision.made_bytes() : precision.gradient_bytes;
    return room + Bytes{weights * made};
  }
  return room;
}

}  // namespace oracle
