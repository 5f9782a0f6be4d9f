#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/plan/cuts/rules.h"

namespace oracle {
namespace {

constexpr std::array<CutRow, kCutCount> kCuts = {{
    {Cut::sample, "data", "samples: all weights on each rank, gradients summed", "p ≤ batch",
     cuts::sample, "dp"},
    {Cut::spatial, "spatial", "a grid over depth, height and width, chosen for the network",
     "p ≤ product of extents", nullptr},
    {Cut::depth, "depth", "slabs of depth, halos between neighbours", "p ≤ min depth", cuts::depth},
    {Cut::height, "height", "slabs of height, halos between neighbours", "p ≤ min height",
     cuts::height},
    {Cut::width, "width", "slabs of width, halos between neighbours", "p ≤ min width", cuts::width},
    {Cut::context, "context", "positions of a text; attention gathers keys and values",
     "p ≤ positions", cuts::context, "cp"},
    {Cut::ring, "ring", "positions of a text; attention passes keys and values round",
     "p ≤ positions", cuts::ring},
    {Cut::ulysses, "ulysses", "positions of a text; attention has all positions of some heads",
     "p ≤ positions, heads", cuts::ulysses},
    {Cut::filter, "filter", "output features, gathered before the next contraction",
     "p ≤ min filters", cuts::filter},
    {Cut::channel, "channel", "input features, outputs summed", "p ≤ min channels", cuts::channel},
    {Cut::alternate, "tensor", "filter and channel in turn: one all-reduce per pair",
     "p ≤ min features", cuts::alternate, "tp"},
    {Cut::alternate_sequence, "tensor_sequence",
     "as tensor, and between the pairs each rank has part of a text's positions",
     "p ≤ min features, positions", cuts::alternate_sequence},
    {Cut::alternate_expert, "tensor_expert",
     "as tensor_sequence, and experts apart: tokens go from their positions' ranks",
     "p ≤ min features, positions, experts", cuts::alternate_expert},
    {Cut::expert, "expert", "experts apart, samples elsewhere: tokens go to their experts' ranks",
     "p ≤ experts, batch", cuts::expert, "ep"},
    {Cut::pipeline, "pipeline", "layers in stages, micro-batches in flight", "p ≤ layers",
     cuts::none, "pp"},
    {Cut::none, "whole", "replicated: each rank repeats the work", "any", cuts::none},
    {Cut::follow, "", "the layout that reaches the layer", "", cuts::follow},
}};

}  // namespace

namespace cuts {

CutAnswer by_feature(const Layer& layer, std::int64_t degree) {
  if (layer.output.channels() < degree) return {};
  CutAnswer answer;
  // A weight that belongs to no feature is whole on each rank, which sees its own features only.
  const bool whole_weight =
      std::any_of(layer.weights.begin(), layer.weights.end(),
                  [](const Weight& weight) { return weight.features_out == 1; });
  answer.effect = {State::channel, State::channel, State::channel, State::channel,
                   true,           false,          whole_weight};
  // Rows in parts of their features are weighted by all scores of a token.
  answer.effect.others_replicated = layer.routed != Routed::no;
  return answer;
}

CutAnswer by_group(const Layer& layer, std::int64_t degree) {
  CutAnswer answer;
  if (layer.groups > 1 && layer.groups % degree == 0) return by_feature(layer, degree);
  if (layer.heads.queries > 0 && layer.heads.queries % degree == 0) {
    answer = by_feature(layer, degree);
    answer.effect.others_replicated = true;
  } else if (layer.feature_sums > 0) {
    answer.effect = {State::channel, State::partial, State::replicated, State::channel, false,
                     false,          false};
  }
  return answer;
}

CutAnswer by_row(const Layer& layer, std::int64_t degree) {
  const std::int64_t rows = layer.weights.front().features_out;
  if (rows < degree) return refuse(Constraint::filters, layer, degree, rows, "rows", "filter");
  CutAnswer answer;
  answer.effect = {
      State::replicated, State::partial, State::replicated, State::replicated, true, false, false};
  return answer;
}

CutAnswer refuse(Constraint constraint, const Layer& layer, std::int64_t needed,
                 std::int64_t available, std::string unit, std::string_view axis_name) {
  CutAnswer answer;
  answer.refusal =
      Infeasible{constraint,
                 "layer " + layer.name,
                 static_cast<double>(needed),
                 static_cast<double>(available),
                 std::move(unit),
                 "use at most " + std::string(axis_name) + ':' + std::to_string(available) +
                     " there, or give \"" + layer.name + "\" another mesh axis"};
  return answer;
}

}  // namespace cuts

std::span<const CutRow> all_cuts() { return kCuts; }

const CutRow& row_of(Cut cut) {
  const auto row = std::find_if(kCuts.begin(), kCuts.end(),
                                [&](const CutRow& candidate) { return candidate.cut == cut; });
  ensure(row != kCuts.end(), "row_of: a cut is missing from the table");
  return *row;
}

bool finds_parts(const Graph& graph, Cut cut) {
  constexpr std::array<Cut, 4> kAlongSpace = {Cut::depth, Cut::height, Cut::width, Cut::context};
  if (cut == Cut::alternate_sequence || cut == Cut::ring || cut == Cut::ulysses) {
    return finds_parts(graph, Cut::context);
  }
  if (cut == Cut::alternate_expert) {
    return finds_parts(graph, Cut::context) && finds_parts(graph, Cut::expert);
  }
  if (cut == Cut::expert) {
    return std::any_of(graph.layers.begin(), graph.layers.end(),
                       [](const Layer& layer) { return layer.routed == Routed::expert; });
  }
  if (cut == Cut::spatial) {
    return std::any_of(kAlongSpace.begin(), kAlongSpace.end() - 1,
                       [&](Cut along) { return finds_parts(graph, along); });
  }
  if (std::find(kAlongSpace.begin(), kAlongSpace.end(), cut) == kAlongSpace.end()) return true;
  return std::any_of(graph.layers.begin() + 1, graph.layers.end(), [&](const Layer& layer) {
    const CutAnswer answer = row_of(cut).apply(layer, 2, State::replicated);
    return answer.refusal || answer.effect.cuts();
  });
}

}  // namespace oracle
