#pragma once
// What do the GPU's kernels do with a value before they write it?
//
// A rectifier, y = max(x, 0). cuBLASLt's products take it along in their epilogue and cuDNN's
// convolutions with their bias, by the algorithms that can; where none can, one pass of ours over
// the output adds the bias and rectifies, which the record of what was chosen shows. Batch norms
// and sums are kernels of ours. That of a batch norm takes it along in backward as well
// (normalize.h).
//                                                 tests/microbench/kernels/fused_test.cpp

#include "microbench/kernels/kernel.h"

namespace oracle::gpu {

/// Whether a kernel of `layer` can leave what `layer.then` makes, and takes as much of backward as
/// is asked for.
bool fuses_on_gpus(const LocalLayer& layer);

}  // namespace oracle::gpu
