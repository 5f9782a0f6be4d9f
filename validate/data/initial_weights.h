#pragma once
// Which values do weights start from?
//
// Weights of contractions: normal with variance 2/fan_in (He et al., ICCV 2015), biases uniform
// within 1/√fan_in, scales 1, shifts 0; tables of embeddings normal with variance 1, trained sums
// with 0.02². Each value follows from seed, layer, parameter and its
// place in the whole parameter: a cut changes no value.
//                                                   tests/validate/data/initial_weights_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/graph/layer.h"
#include "validate/program/program.h"

namespace oracle {

/// The values of a rank's slice of parameter `index` (as in Layer::weights).
std::vector<float> initial_values(const Layer& layer, LayerId id, std::size_t index,
                                  const ParameterSlice& slice, std::uint64_t seed);

}  // namespace oracle
