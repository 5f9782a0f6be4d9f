#include "oracle/plan/sharing.h"

#include <algorithm>

#include "oracle/plan/assignment.h"
#include "oracle/plan/halo.h"

namespace oracle {
namespace {

/// Whether a layer's backward makes the gradient of its input in that of its output.
bool overwrites(const Layer& layer) { return layer.in_place && !layer.trainable(); }

/// Whether the layer's backward has to fetch rows of its output's gradient first.
bool fetches(const Graph& graph, const Plan& plan, LayerId id) {
  if (returns_gradient(graph[id])) return false;
  const Layout& layout = plan.pieces[id].input_layout;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const int axis = spatial_axis_of(layout[a]);
    if (axis < 0) continue;
    if (backward_halo(graph[id], static_cast<std::size_t>(axis), plan.degrees[a]).sent > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool may_share_gradient(const Layer& layer) {
  return layer.inputs.size() == 2 && overwrites(layer) &&
         layer.of(Pass::backward_data) == PassWork{};
}

std::optional<SharedGradient> shared_gradient(const Graph& graph, const Plan& plan,
                                              const Stage& stage,
                                              const std::vector<bool>& needs_gradient, LayerId id) {
  const Layer& sum = graph[id];
  if (!may_share_gradient(sum)) return std::nullopt;
  const auto [second, first] = std::minmax(sum.inputs[0], sum.inputs[1]);
  const bool both = needs_gradient[first] && needs_gradient[second] && first != second;
  if (!both || first < stage.first || graph.consumers[first].size() != 1) return std::nullopt;
  const Piece& piece = plan.pieces[id];
  const bool stays = piece.input_layout == piece.gradient_layout &&
                     plan.pieces[first].gradient_layout == piece.gradient_layout;
  if (!stays || overwrites(graph[first]) || fetches(graph, plan, first)) return std::nullopt;
  return SharedGradient{first, second};
}

}  // namespace oracle
