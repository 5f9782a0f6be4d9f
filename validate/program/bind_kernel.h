#pragma once
// Which kernel runs a rank's piece of a layer?
//
// The layer with the extents of the rank's tensors, where these lie in the whole, the padding that
// joins them, the groups and rows that the rank has.
//                                                            tests/validate/program/bind_test.cpp

#include <memory>
#include <vector>

#include "validate/program/pieces.h"
#include "validate/program/program.h"

namespace oracle {

/// Whether a window slides along an axis that is cut.
bool is_cut_window(const Pieces& pieces, LayerId id);

/// Mesh axes whose ranks compute the same output.
AxisSet repeating_axes(const Plan& plan, LayerId id);

/// What a windowed layer's gradient kernel computes of the first input's gradient: the positions
/// that a window of the output gradients reaches.
Region reached_input(const Pieces& pieces, LayerId id, int rank);

/// The kernel that makes `output` of `inputs`. Throws InputError where the layer's groups cannot be
/// split evenly.
KernelSpec kernel_of(const Pieces& pieces, LayerId id, Pass pass, std::vector<Extents> inputs,
                     const Region& output, int rank);

/// Where the keys that attention reads lie in the text, of which it has those in a region; empty:
/// all of them in a row.
std::vector<std::int64_t> keys_read(const Pieces& pieces, LayerId id, const Region& keys);

/// The layer without its bias where another rank adds it; null where it is the network's own.
std::unique_ptr<Layer> layer_without_bias(const Pieces& pieces, LayerId id, int rank);

}  // namespace oracle
