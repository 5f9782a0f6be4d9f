#pragma once
// Which layers, on which pieces, must be measured so that a plan is priced as measured?
//
// Each layer that runs a kernel, with the extents of its local piece: what a cut leaves of channels
// and positions, and the halo that it reads; padded where the map ends. Where gradients of one
// tensor are summed, an addition of two such tensors, which is measured with that sum. Layers alike
// are one case.
//
// Worked: "conv2d 64→64 on 56x56" of 8 samples over data:2 is a case of 4 samples
//                                                       tests/calibrate/wanted_cases_test.cpp

#include <vector>

#include "oracle/graph/layer_case.h"
#include "oracle/plan/plan.h"

namespace oracle {

struct WantedCases {
  std::vector<LayerCase> cases;          ///< in the order of the network, each once
  std::vector<std::string> not_written;  ///< layers whose piece no line describes
};

WantedCases wanted_cases(const Graph& graph, const Plan& plan);

}  // namespace oracle
