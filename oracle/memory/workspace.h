#pragma once
// How much room does a kernel ask for beside its operands?
//
// Libraries lower a windowed contraction to a matrix product and want room of the order of its
// input; frameworks bound it. Kernels over blocks of channels (Device::channel_block) want none:
// they walk over the operands themselves. Backward to the input reads the weights with input and
// output features exchanged, which is a copy of them. Where several micro-batches add up, or the
// sum has a wider format than what is added (main gradients), a gradient is made beside the sum,
// unless it is scattered at once (zero=2) and stands among the tensors.
//
// Such kernels keep the weights of a product in their own order, and a table in its rows: a product
// by the table of an embedding copies it in each pass.
//
// Worked: a 3x3 convolution 8→16 over 2 samples of 64x64: 256 KiB in plain order, none in blocks
// of 16            tests/memory/footprint_test.cpp, tests/validate/memory/memory_test.cpp

#include "oracle/plan/plan.h"

namespace oracle {

Bytes workspace(const Graph& graph, const Plan& plan, LayerId id, Pass pass);

}  // namespace oracle
