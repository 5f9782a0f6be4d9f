#pragma once
// How does a layout look to oneDNN, and a description of oneDNN's to us?

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

#include "microbench/kernels/cpu/storage_layout.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// Spatial axes that a layer's tensors show to oneDNN: those of its network, at least one.
std::size_t rank_of(const Layer& layer);

/// Samples, channels and the last `rank` spatial extents.
dnnl::memory::dims dims_of(const Extents& extents, std::size_t rank);

dnnl::memory::desc describe(const StorageLayout& layout, std::size_t rank);

/// With all positions as one axis.
dnnl::memory::desc describe_flat(const StorageLayout& layout);

/// With the format left to the primitive.
dnnl::memory::desc describe_any(const Extents& extents, std::size_t rank);
/// A layout with all channels in one block, by the name that primitives know: of 16 channels it
/// would be a format of blocks of 16.
dnnl::memory::desc describe_channels_last(const Extents& extents, std::size_t rank);

/// The layout of a tensor that oneDNN wants as `description`; none where no layout is like it.
std::optional<StorageLayout> layout_of(const dnnl::memory::desc& description,
                                       const Extents& extents, std::size_t rank);

}  // namespace oracle
