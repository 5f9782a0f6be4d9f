#pragma once
// Which part of a layer's parameters does a rank hold?
//
// Worked: a convolution 4→6 with a 3×3 window cut by filter over 2 ranks: rank 1 holds rows [3, 6)
// of 6, all 4 columns, 9 inner: 108 elements, the first of them number 108 of the whole.
//                                                      tests/validate/program/parameters_test.cpp

#include "validate/program/pieces.h"
#include "validate/program/program.h"

namespace oracle {

/// True where this rank adds the layer's bias to a sum that several ranks make; the others do not
/// have one.
bool holds_bias(const Pieces& pieces, LayerId id, int rank);

/// How many of a layer's groups are in `channels` of its input; 1 of attention, which finds the
/// keys of its heads itself. Throws InputError where a group is split.
std::int64_t groups_held(const Layer& layer, std::int64_t channels);

/// Which rows of a table that is looked up, which experts' matrices, or which classes of a text's
/// loss a rank has; none of any other layer.
Interval held_rows(const Pieces& pieces, LayerId id, int rank);

/// One slice for each parameter that the rank holds, in the order of Layer::weights.
std::vector<ParameterSlice> parameter_slices(const Pieces& pieces, LayerId id, int rank);

}  // namespace oracle
