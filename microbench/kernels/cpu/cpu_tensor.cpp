#include "microbench/kernels/cpu/cpu_tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "microbench/kernels/cpu/cache.h"
#include "microbench/kernels/cpu/format.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

void check_inside(const Box& box, const Extents& extents) {
  const auto inside = [](std::int64_t begin, std::int64_t size, std::int64_t extent) {
    return begin >= 0 && size >= 0 && begin + size <= extent;
  };
  ensure(inside(box.begin.samples, box.size.samples, extents.samples) &&
             inside(box.begin.channels, box.size.channels, extents.channels) &&
             inside(box.begin.depth, box.size.depth, extents.depth) &&
             inside(box.begin.height, box.size.height, extents.height) &&
             inside(box.begin.width, box.size.width, extents.width),
         "a box leaves its tensor");
}

/// Calls visit(offset of the row's first value, its index in the dense box) for each row along the
/// width; the values of a row lie `layout.block` apart.
template <class Visit>
void for_each_row(const Layout& layout, const Box& box, Visit visit) {
  check_inside(box, layout.extents);
  const Extents& extents = layout.extents;
  std::int64_t dense = 0;
  for (std::int64_t n = 0; n < box.size.samples; ++n) {
    for (std::int64_t c = 0; c < box.size.channels; ++c) {
      for (std::int64_t d = 0; d < box.size.depth; ++d) {
        for (std::int64_t h = 0; h < box.size.height; ++h) {
          const std::int64_t position =
              ((box.begin.depth + d) * extents.height + box.begin.height + h) * extents.width +
              box.begin.width;
          visit(layout.offset(box.begin.samples + n, box.begin.channels + c, position), dense);
          dense += box.size.width;
        }
      }
    }
  }
}

}  // namespace

std::int64_t CpuTensor::first_block(const Context& context, const Extents& extents) {
  const std::int64_t block = context.preferred_block();
  return extents.channels % block == 0 ? block : 1;
}

CpuTensor::CpuTensor(Context& context, const Extents& extents)
    : context_(context),
      layout_(Layout::of(extents, first_block(context, extents))),
      memory_(context.allocator().allocate_floats(layout_.stored())) {}

void CpuTensor::pack(const Box& box, void* to) const {
  auto* dense = static_cast<float*>(to);
  const float* values = data();
  const std::int64_t width = box.size.width;
  const std::int64_t step = layout_.block;
  for_each_row(layout_, box, [&](std::int64_t offset, std::int64_t index) {
    for (std::int64_t w = 0; w < width; ++w) dense[index + w] = values[offset + w * step];
  });
}

void CpuTensor::unpack(const Box& box, const void* from) {
  const auto* dense = static_cast<const float*>(from);
  float* values = data();
  // The zeros that fill up a block are part of its format.
  if (layout_.filled_up() && box.size == layout_.extents) zero();
  const std::int64_t width = box.size.width;
  const std::int64_t step = layout_.block;
  for_each_row(layout_, box, [&](std::int64_t offset, std::int64_t index) {
    for (std::int64_t w = 0; w < width; ++w) values[offset + w * step] = dense[index + w];
  });
}

void CpuTensor::accumulate(const Box& box, const void* from) {
  const auto* dense = static_cast<const float*>(from);
  float* values = data();
  const std::int64_t width = box.size.width;
  const std::int64_t step = layout_.block;
  for_each_row(layout_, box, [&](std::int64_t offset, std::int64_t index) {
    for (std::int64_t w = 0; w < width; ++w) values[offset + w * step] += dense[index + w];
  });
}

void CpuTensor::rewrite(std::int64_t block) {
  layout_ = Layout::of(layout_.extents, block);
  const std::int64_t bytes = layout_.stored() * std::int64_t{sizeof(float)};
  if (memory_.bytes() == bytes) return;
  memory_ = MemoryBlock();
  memory_ = context_.allocator().allocate(bytes);
}

void CpuTensor::convert(std::int64_t block) {
  const Layout wanted = Layout::of(layout_.extents, block);
  if (wanted == layout_) return;
  MemoryBlock memory = context_.allocator().allocate_floats(wanted.stored());
  context_.reorder(context_.memory(describe_flat(layout_), data()),
                   context_.memory(describe_flat(wanted), memory.data()));
  memory_ = std::move(memory);
  layout_ = wanted;
}

void CpuTensor::copy_of(const CpuTensor& from) {
  if (this == &from) return;
  rewrite(from.layout_.block);
  std::memcpy(data(), from.data(), static_cast<std::size_t>(memory_.bytes()));
}

void CpuTensor::zero() { std::memset(data(), 0, static_cast<std::size_t>(memory_.bytes())); }

void CpuTensor::evict() const { evict_from_caches(data(), memory_.bytes()); }

CpuTensor& cpu(Tensor* tensor) {
  auto* found = dynamic_cast<CpuTensor*>(tensor);
  ensure(found != nullptr, "a kernel's tensor is missing or another back end's");
  return *found;
}

void copy_box(const CpuTensor& from, const Box& box, CpuTensor& to, const Extents& to_begin) {
  // A tensor of one position may call its blocks plain.
  const std::int64_t block = std::max(from.layout().block, to.layout().block);
  const Layout source{from.layout().extents, block};
  const Layout target{to.layout().extents, block};
  ensure(Layout::of(source.extents, block) == from.layout() &&
             Layout::of(target.extents, block) == to.layout() &&
             box.size.channels == source.extents.channels,
         "a box is copied between tensors of unlike blocks");
  const auto position = [](const Extents& extents, const Extents& begin, std::int64_t d,
                           std::int64_t h) {
    return ((begin.depth + d) * extents.height + begin.height + h) * extents.width + begin.width;
  };
  const auto row = static_cast<std::size_t>(box.size.width * source.block) * sizeof(float);
  for (std::int64_t n = 0; n < box.size.samples; ++n) {
    for (std::int64_t c = 0; c < box.size.channels; c += source.block) {
      for (std::int64_t d = 0; d < box.size.depth; ++d) {
        for (std::int64_t h = 0; h < box.size.height; ++h) {
          const auto at = position(source.extents, box.begin, d, h);
          const auto to_at = position(target.extents, to_begin, d, h);
          std::memcpy(to.data() + target.offset(to_begin.samples + n, c, to_at),
                      from.data() + source.offset(box.begin.samples + n, c, at), row);
        }
      }
    }
  }
}

}  // namespace oracle
