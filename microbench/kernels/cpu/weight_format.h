#pragma once
// Which dimensions has a parameter of a layer, and in which plain order is it read and written?

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "microbench/kernels/kernel.h"

namespace oracle {

/// True of a dense layer without positions (a matrix product; with positions it is a convolution
/// with a window of one).
bool is_matrix_product(const LocalLayer& layer);

/// Dimensions of a contraction's weight as oneDNN has them: [groups,] filters, channels, window.
dnnl::memory::dims weight_dims(const LocalLayer& layer);

/// A parameter in the order of Weights::read.
dnnl::memory::desc plain_weight(const LocalLayer& layer, std::size_t index);

}  // namespace oracle
