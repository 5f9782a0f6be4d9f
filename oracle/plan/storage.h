#pragma once
// How many values does a tensor take where kernels store its channels in blocks?
//
// Kernels for wide vectors lay `Device::channel_block` channels of a position side by side and fill
// the last block up with zeros. So do they with the filters of a weight, and a convolution's with
// its channels. Networks are built of multiples; cuts by feature leave 12 of 24 channels. The
// network's own input stays as it came, and so does what has one position.
//
// Worked: 12 channels in blocks of 16 take 16; a 3x3 convolution 12→40 without a bias takes
// 48·16·9 = 6912 values for its 4320.                            tests/plan/storage_test.cpp

#include <cstdint>

#include "oracle/plan/plan.h"

namespace oracle {

/// `channels` of a tensor with the spatial extents of `shape`, filled up to whole blocks.
std::int64_t stored_channels(std::int64_t channels, const Shape& shape, std::int64_t block);

/// Bytes that the rank with most holds of a layer's output in a layout, for one micro-batch.
Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout);

/// The same where a value has `each`.
Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout,
               double each);

/// Values that a piece's parameters take, each time that they are stored.
std::int64_t stored_weights(const Layer& layer, const Piece& piece, std::int64_t block);

}  // namespace oracle
