#pragma once
// Which layers are linear products that training in 8 bits and fewer is for?
//
// Dense layers and those of experts whose features come in 16s, as matrix units take such operands.
// What makes scores keeps its 16 bits: the last product before a loss, and a router's before its
// tokens are sent. Micikevicius et al., arXiv 2209.05433; DeepSeek-V3, arXiv 2412.19437, 3.3.1.
//
// A product that routes tokens is also said to, and one that makes a single number of a token's
// features, as the weight of shared experts: tensor parallelism leaves them whole.
//
// Worked: of gpt_tiny's two blocks six layers each; its head is none
//                                                                tests/graph/linears_test.cpp

#include "oracle/graph/graph.h"

namespace oracle {

/// Fills Layer::linear and Layer::stays_whole of all layers.
void mark_linears(Graph& graph);

}  // namespace oracle
