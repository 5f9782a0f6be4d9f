#pragma once
// How many calls does a host make to launch one pass of a layer?
//
// One for each kernel, as it launches usual layers, and more where rows of tokens go to experts:
//
// | layer | forward | backward | what |
// | --- | --- | --- | --- |
// | dispatch | 9 | 5 | counts of rows, which go round; permutation; scores; rows by expert |
// | combine | 2 | 2 | rows sorted back; permutation |
// | products of n experts | 1 + n/10 | 1 + n/10 | launched one by one, from one loop |
//
// Operations in Megatron-LM (0014f13), transformer/moe/token_dispatcher.py, without the messages of
// rows: 20 of tensors, 3 collectives and 4 copies to the host, at what these calls take beside a
// layer's (a tenth, one, a quarter): assumed.
//
// Worked: dispatch of one micro-batch at 80 us a call keeps the host for 720 us
//                                                               tests/cost/host_calls_test.cpp

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// `kernels`: those of the pass. 0 where it has none.
double host_calls(const Layer& layer, const Piece& piece, Pass pass, double kernels);

}  // namespace oracle
