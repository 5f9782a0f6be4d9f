#pragma once
// A random network: does it have every structure that a cut can stumble over?
//
// Chains, residual blocks with projections, concatenated branches, grouped, depthwise, dilated and
// strided convolutions, pools, gates per channel, batch norm or none, dropout, dense heads; two or
// three spatial axes. Five to about thirty layers, features few and often odd, so that cuts come
// out uneven.
//                                                            tests/properties/random_cases_test.cpp

#include "oracle/graph/graph.h"
#include "tests/properties/random.h"

namespace oracle {

Graph random_graph(Random& random);

}  // namespace oracle
