#pragma once
// Which layer is an operation of the host, by what it was called with?
//                                                         tests/calibrate/traced_samples_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/layer_case.h"
#include "oracle/record/trace.h"

namespace oracle {

using Dims = std::vector<std::int64_t>;

/// "[[8,64],[64,32],[]]" is {8, 64}, {64, 32} and {}; none where tensors lie in lists.
std::optional<std::vector<Dims>> dims_of(std::string_view text);

/// "["float","","[1,1]"]" is float, an empty text and [1,1].
std::vector<std::string> texts_of(std::string_view text);

/// "[2,2]" is 2 and 2.
std::optional<Dims> numbers_of(std::string_view text);

/// Each throws InputError with an empty place where the dimensions are no such layer's; none where
/// the trace does not say enough.
LayerCase product_case(const Dims& rows, const Dims& columns);
std::optional<LayerCase> convolution_case(const TracedCall& call, bool backward);
LayerCase batch_norm_case(const Dims& input);
LayerCase layer_norm_case(const Dims& input);

}  // namespace oracle
