#pragma once
// Where is the network cut into pipeline stages?
//
// Stages are runs of layers in topological order. A strategy names the first layer of each but the
// first: "stages=conv3_1,fc6". evaluate/balance.h chooses them by prices where none are named.
//
// "stages=even" has as many blocks (graph/blocks.h) in each, as Megatron does; where they do not
// divide, one fewer in the last, the first, the last but one and so on. What stands before the
// first block and behind the last goes with them.
//
// Who asks for a plan without prices gets stages of which the longest is as short as possible by a
// rough estimate: a pass takes max(operations, traffic · balance), where the balance of operations
// per byte is one that devices of the time strike for the number format. Cuts are made where a
// single tensor crosses (between residual blocks), as long as there are enough such places; else
// anywhere.                                                           tests/plan/stages_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// Whether the strategy has the first layer of each stage but the first.
bool names_stages(const Strategy& strategy);

/// Whether the strategy does not say it: names none, or asks a network without blocks for as many.
bool leaves_stages_open(const Graph& graph, const Strategy& strategy);

/// As many blocks in each stage; nothing where the strategy does not ask for it, or a stage would
/// have no layer.
std::optional<std::vector<LayerId>> even_stages(const Graph& graph, const Strategy& strategy,
                                                std::int64_t stages);

/// First layer of each stage, and one past the last layer: `stages + 1` ascending ids.
std::variant<std::vector<LayerId>, Infeasible> cut_stages(const Graph& graph,
                                                          const std::vector<Piece>& pieces,
                                                          std::int64_t stages, DataType type);

/// The same of the stages that the plan's strategy names, or leaves open. Throws InputError where
/// it names no such layers.
std::variant<std::vector<LayerId>, Infeasible> stages_of(const Graph& graph, const Plan& plan,
                                                         std::int64_t stages);

/// The names of all but the first stage's first layer, as Strategy::stages has them.
std::vector<std::string> stage_names(const Graph& graph, const std::vector<LayerId>& firsts);

/// By layer: whether a stage may begin there without parting a kernel of several layers or layers
/// that share a weight; anywhere where that leaves too few places. Of a text between its blocks, as
/// long as there are enough. `fused`: as Plan::fused of the plan in one stage.
std::vector<bool> stage_places(const Graph& graph, const std::vector<bool>& fused,
                               std::int64_t stages);

}  // namespace oracle
