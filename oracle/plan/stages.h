#pragma once
// Where is the network cut into pipeline stages?
//
// Stages are runs of layers in topological order whose longest serial time is as short as possible,
// by a rough estimate (operations over peak, traffic over bandwidth). Cuts are made where a single
// tensor crosses (between residual blocks), as long as there are enough such places; else anywhere.

#include <cstdint>
#include <variant>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// First layer of each stage, and one past the last layer: `stages + 1` ascending ids.
std::variant<std::vector<LayerId>, Infeasible> cut_stages(const Graph& graph,
                                                          const std::vector<Piece>& pieces,
                                                          std::int64_t stages, const Device& device,
                                                          DataType type);

}  // namespace oracle
