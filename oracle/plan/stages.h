#pragma once
// Where is the network cut into pipeline stages?
//
// Stages are runs of layers in topological order, the longest as short as possible by a rough
// estimate: a pass takes max(operations, traffic · balance), where the balance of operations per
// byte is one that devices of the time strike for the number format. The estimate asks no device,
// so a better machine runs the very same plan, only faster. Cuts are made where a single tensor
// crosses (between residual blocks), as long as there are enough such places; else anywhere.

#include <cstdint>
#include <variant>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// First layer of each stage, and one past the last layer: `stages + 1` ascending ids.
std::variant<std::vector<LayerId>, Infeasible> cut_stages(const Graph& graph,
                                                          const std::vector<Piece>& pieces,
                                                          std::int64_t stages, DataType type);

}  // namespace oracle
