#pragma once
// How does a layer list of ParaDL become a graph of ours?
//
// Strides and pads are not in the lists; they follow from the extents: the stride is in/out to the
// nearest whole number, and what the last window lacks is padding, the larger half before for
// convolutions, all of it behind for pools (rounding up). An addition reads the start of its block;
// the lists have no projection shortcuts, so where the shapes differ there is nothing to add and
// the addition is left out. Its bytes and weights are ParaDL's: no biases, no affine batch norm.
//
// Worked: 226 → 113 by a 7×7 window: stride 2, pad 3 before and 2 after
//                                                    tests/conformance/paradl_networks_test.cpp

#include "tests/conformance/paradl.h"

namespace oracle::paradl {

/// Builds `network.graph` from its operations and notes each one's layer.
void build_graph(Network& network);

}  // namespace oracle::paradl
