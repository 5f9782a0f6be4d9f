#pragma once
// Small networks that between them hold every layer kind.

#include <string_view>

#include "oracle/graph/graph.h"

namespace oracle {

/// Two convolutions (the second strided), flatten, dense; features that 2 divides, and a last layer
/// of 5.
Graph plain_network();
/// The same with features and extents that nothing divides.
Graph uneven_network();
/// Batch norm, maximum and average pools with overlapping windows, a residual sum, depthwise and
/// grouped convolutions, a gate per channel from a global pool, concat, dropout.
Graph residual_network();
/// Batch norm, sum and rectifier in a row, as residual networks have them, twice; the second time
/// the other way round. Of `channels` over `extent` squared, windows of `kernel`.
Graph shortcut_network(std::int64_t channels = 8, std::int64_t extent = 8, std::int64_t kernel = 3);
/// Three spatial axes: widened by a transposed convolution, a class per position.
Graph volume_network();
/// Layer norm and regression on flat tensors.
Graph flat_network();
/// A file of tests/validate/models.
Graph network_of_file(std::string_view name);

}  // namespace oracle
