#pragma once
// What do this processor's kernels do with a value before they write it?
//
// oneDNN's convolutions and inner products take a rectifier along (a post-operation). The formats
// that they prefer, and the scratch memory that they want, stay what they are.
//                                                 tests/microbench/kernels/fused_test.cpp

#include "microbench/kernels/cpu/context.h"
#include "microbench/kernels/kernel.h"

namespace oracle {

/// Whether a kernel of `layer` can leave what `layer.then` makes; none takes its gradient.
bool fuses_on_processors(const LocalLayer& layer);

/// Attributes of the layer's forward pass: with what `layer.then` does, where there is one.
dnnl::primitive_attr forward_attributes(const LocalLayer& layer);

}  // namespace oracle
