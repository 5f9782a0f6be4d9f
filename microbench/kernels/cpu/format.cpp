#include "microbench/kernels/cpu/format.h"

#include <algorithm>
#include <array>

#include "oracle/base/error.h"

namespace oracle {
namespace {

using Tag = dnnl::memory::format_tag;

constexpr std::array<std::int64_t, 3> kBlocks = {16, 8, 4};
constexpr Tag kPlain[] = {Tag::ncw, Tag::nchw, Tag::ncdhw};
constexpr Tag kChannelsLast[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
constexpr Tag kBlocked[3][3] = {
    {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c},
    {Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c},
    {Tag::nCw4c, Tag::nChw4c, Tag::nCdhw4c},
};

Tag tag_of(const StorageLayout& layout, std::size_t rank) {
  if (layout.block == 1) return kPlain[rank - 1];
  const auto blocked = std::find(kBlocks.begin(), kBlocks.end(), layout.block);
  if (blocked != kBlocks.end()) return kBlocked[blocked - kBlocks.begin()][rank - 1];
  ensure(layout.block == layout.extents.channels, "a tensor's block is none of oneDNN's");
  return kChannelsLast[rank - 1];
}

dnnl::memory::desc describe_as(const Extents& extents, std::size_t rank, Tag tag) {
  return {dims_of(extents, rank), dnnl::memory::data_type::f32, tag};
}

}  // namespace

std::size_t rank_of(const Layer& layer) { return std::max<std::size_t>(1, layer.spatial_rank); }

dnnl::memory::dims dims_of(const Extents& extents, std::size_t rank) {
  const std::array spatial = {extents.depth, extents.height, extents.width};
  dnnl::memory::dims dims{extents.samples, extents.channels};
  dims.insert(dims.end(), spatial.end() - static_cast<std::ptrdiff_t>(rank), spatial.end());
  return dims;
}

dnnl::memory::desc describe(const StorageLayout& layout, std::size_t rank) {
  return describe_as(layout.extents, rank, tag_of(layout, rank));
}

dnnl::memory::desc describe_flat(const StorageLayout& layout) {
  StorageLayout flat = layout;
  flat.extents.width = layout.positions();
  flat.extents.depth = flat.extents.height = 1;
  return describe(flat, 1);
}

dnnl::memory::desc describe_any(const Extents& extents, std::size_t rank) {
  return describe_as(extents, rank, Tag::any);
}

dnnl::memory::desc describe_channels_last(const Extents& extents, std::size_t rank) {
  return describe_as(extents, rank, kChannelsLast[rank - 1]);
}

std::optional<StorageLayout> layout_of(const dnnl::memory::desc& description,
                                       const Extents& extents, std::size_t rank) {
  for (const std::int64_t block : {std::int64_t{1}, kBlocks[0], kBlocks[1], kBlocks[2]}) {
    // Not normalized: a primitive may call plain memory of one position blocked.
    if (description == describe(StorageLayout{extents, block}, rank))
      return StorageLayout::of(extents, block);
  }
  if (description == describe_channels_last(extents, rank)) {
    return StorageLayout::of(extents, extents.channels);
  }
  return {};
}

}  // namespace oracle
