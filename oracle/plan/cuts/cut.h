#pragma once
// What does a cut do to a layer? One row of the table in table.cpp, one file per way to cut.
//
// The states that a cut demands and delivers, over the axis it is applied to:
//
//   cut              weights   input    output   output gradient  input gradient  weight gradient
//   none             whole     whole    whole    whole            whole           whole
//   sample           whole     sample   sample   sample           sample          partial
//   depth … width    whole     axis+halo axis    axis+halo        axis            partial
//   context, ring    whole     sequence  sequence sequence        sequence        partial
//   filter           filter    whole    channel  channel          partial         own part
//   channel          channel   channel  partial  whole            channel         own part
//   (channelwise layers under filter or channel: channel in, channel out, own part)

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oracle/graph/graph.h"
#include "oracle/plan/infeasible.h"
#include "oracle/plan/layout/layout.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

/// The states of a layer's tensors over one mesh axis.
struct CutEffect {
  State input = State::replicated;  ///< of all inputs, but see `others_replicated`
  State output = State::replicated;
  State output_gradient = State::replicated;  ///< demanded by backward
  State input_gradient = State::replicated;   ///< delivered by backward
  bool cuts_filters = false;                  ///< weights cut_by_filter are split
  bool cuts_channels = false;                 ///< weights cut_by_channel are split
  bool partial_weight_gradient = false;
  /// Inputs beyond the first are replicated, and their gradients partial sums.
  bool others_replicated = false;
  bool cuts_experts = false;   ///< weights are those of some experts
  bool passes_others = false;  ///< inputs beyond the first go round (plan/key_ring.h)
  bool operator==(const CutEffect&) const = default;
  bool cuts() const { return input != State::replicated || output != State::replicated; }
};

/// The answer of a cut: an effect, or why this layer cannot be cut that far.
struct CutAnswer {
  CutEffect effect;
  std::optional<Infeasible> refusal;
};

struct CutRow {
  Cut cut;
  std::string_view axis_name;  ///< in strategy texts: "data", "filter", …
  std::string_view text;       ///< one line for `oracle list strategies`
  std::string_view limit;      ///< of the degree: "p ≤ batch"
  /// `incoming`: the state over this axis of the layer's first sharded or partial input, as
  /// produced.
  CutAnswer (*apply)(const Layer& layer, std::int64_t degree, State incoming);
  std::string_view short_name{};  ///< read in place of axis_name: "dp"
};

std::span<const CutRow> all_cuts();
const CutRow& row_of(Cut cut);

/// Whether any layer of the network has what the cut shards: positions along an axis of space, or
/// experts; true of every other cut.
bool finds_parts(const Graph& graph, Cut cut);

}  // namespace oracle
