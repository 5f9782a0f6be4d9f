#include "oracle/plan/fusion.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// A layer of kind `first`, and one of kind `second` with function `variant` that reads it.
struct FusionRow {
  Fusion fusion;
  std::string_view first, second, variant;
  bool backward = false;
};

constexpr std::array<FusionRow, kFusionCount> kFusions = {{
    {Fusion::convolution_activation, "convolution", "activation", "relu"},
    {Fusion::dense_activation, "dense", "activation", "relu"},
    {Fusion::batch_norm_activation, "batch_norm", "activation", "relu", true},
    {Fusion::add_activation, "add", "activation", "relu"},
}};

bool is_of(const Layer& layer, std::string_view kind) {
  return layer.kind != nullptr && layer.kind->name == kind;
}

bool in_one_stage(const Plan& plan, LayerId first, LayerId second) {
  return std::none_of(plan.stages.begin(), plan.stages.end(), [&](const Stage& stage) {
    return first < stage.first && stage.first <= second;
  });
}

bool as_it_is(const Plan& plan, LayerId first, LayerId second) {
  const Layout& left = plan.pieces[first].output_layout;
  return plan.pieces[second].input_layout == left && plan.pieces[second].output_layout == left;
}

bool gradient_as_it_is(const Plan& plan, LayerId first, LayerId second) {
  return plan.pieces[first].gradient_layout == plan.pieces[second].gradient_layout;
}

}  // namespace

std::optional<Fusion> fusion_with_its_input(const Graph& graph, LayerId id) {
  const Layer& second = graph[id];
  if (second.inputs.size() != 1) return std::nullopt;
  const LayerId read = second.inputs.front();
  if (graph.consumers[read].size() != 1) return std::nullopt;
  for (const FusionRow& row : kFusions) {
    if (!is_of(graph[read], row.first) || !is_of(second, row.second)) continue;
    if (second.variant == row.variant) return row.fusion;
  }
  return std::nullopt;
}

bool may_fuse(const Graph& graph, LayerId id, const Fusions& fusions) {
  const auto fusion = fusion_with_its_input(graph, id);
  return fusion && fusions[static_cast<std::size_t>(*fusion)];
}

bool takes_backward_along(Fusion fusion) {
  return kFusions[static_cast<std::size_t>(fusion)].backward;
}

std::vector<bool> fused_layers(const Graph& graph, const Plan& plan, const Fusions& fusions) {
  std::vector<bool> fused;
  if (!plan.strategy.fusion || fusions == Fusions{}) return fused;
  fused.resize(graph.size());
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (!may_fuse(graph, id, fusions)) continue;
    const LayerId read = graph[id].inputs.front();
    fused[id] = in_one_stage(plan, read, id) && as_it_is(plan, read, id) &&
                (!takes_backward_along(*fusion_with_its_input(graph, id)) ||
                 gradient_as_it_is(plan, read, id));
  }
  return fused;
}

void find_sums_in_norms(const Graph& graph, Plan& plan) {
  if (!plan.training.framework.half_fuses_sums) return;
  for (LayerId id = 1; id < graph.size(); ++id) {
    const std::vector<LayerId>& readers = graph.consumers[id];
    if (!is_of(graph[id], "add") || readers.size() != 1 || !plan.is_fused(readers.front()))
      continue;
    const std::vector<LayerId>& terms = graph[id].inputs;
    const bool in_norm = std::any_of(terms.begin(), terms.end(), [&](LayerId term) {
      return is_of(graph[term], "batch_norm") && graph.consumers[term].size() == 1 &&
             in_one_stage(plan, term, id) && as_it_is(plan, term, id);
    });
    plan.pieces[id].in_norm = plan.pieces[readers.front()].in_norm = in_norm;
  }
}

bool is_fused_backward(const Graph& graph, const Plan& plan, LayerId id) {
  return plan.is_fused(id) && takes_backward_along(*fusion_with_its_input(graph, id));
}

bool keeps_output(const Graph& graph, const Plan& plan, LayerId id) {
  return graph[id].keeps_output && !is_fused_backward(graph, plan, id);
}

LayerId computed_in(const Graph& graph, const Plan& plan, LayerId id) {
  while (plan.is_fused(id)) id = graph[id].inputs.front();
  return id;
}

LayerId computes_up_to(const Graph& graph, const Plan& plan, LayerId id) {
  while (graph.consumers[id].size() == 1 && plan.is_fused(graph.consumers[id].front())) {
    id = graph.consumers[id].front();
  }
  return id;
}

}  // namespace oracle
