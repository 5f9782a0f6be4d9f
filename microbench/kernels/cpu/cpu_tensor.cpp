#include "microbench/kernels/cpu/cpu_tensor.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
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

/// Channels side by side in a message; those that are left over, at the end. Maps of fewer than
/// these lie in plain order, and so do messages.
constexpr std::int64_t kMessageBlock = 16;
constexpr std::int64_t kFewChannels = 8;

std::int64_t message_block(const Box& box) {
  return box.size.channels < kFewChannels ? 1 : kMessageBlock;
}

/// Runs of values that lie together both in a tensor and in the dense box.
struct Strip {
  std::int64_t offset = 0, dense = 0;  ///< of the first run
  std::int64_t run = 0;                ///< values of one
  std::int64_t count = 1;
  std::int64_t step = 0, dense_step = 0;  ///< from one run to the next
};

std::int64_t position_of(const Extents& extents, const Extents& begin, std::int64_t d,
                         std::int64_t h) {
  return ((begin.depth + d) * extents.height + begin.height + h) * extents.width + begin.width;
}

/// Whether its channels are whole blocks, or all that there are.
bool of_blocks(const StorageLayout& layout, const Box& box) {
  check_inside(box, layout.extents);
  const bool begins = box.begin.channels % layout.block == 0;
  const bool ends = box.begin.channels + box.size.channels == layout.extents.channels;
  return begins && (ends || box.size.channels % layout.block == 0);
}

/// Calls visit(sample, channel, depth, height) for the rows of a box of `size`, each of `block`
/// channels from that one on; all count from where the box begins.
template <class Visit>
void for_each_row(const Extents& size, std::int64_t block, Visit visit) {
  for (std::int64_t n = 0; n < size.samples; ++n) {
    for (std::int64_t c = 0; c < size.channels; c += block) {
      for (std::int64_t d = 0; d < size.depth; ++d) {
        for (std::int64_t h = 0; h < size.height; ++h) visit(n, c, d, h);
      }
    }
  }
}

/// Of a row of `width` positions of which `lanes` channels from `first` on lie side by side in the
/// dense copy.
template <class Visit>
void for_each_strip_of_row(const StorageLayout& layout, std::int64_t sample, std::int64_t first,
                           std::int64_t lanes, std::int64_t position, std::int64_t width,
                           std::int64_t dense, Visit visit) {
  std::int64_t run = 0;
  for (std::int64_t lane = 0; lane < lanes; lane += run) {
    run = std::min(lanes - lane, layout.block - (first + lane) % layout.block);
    const std::int64_t offset = layout.offset(sample, first + lane, position);
    const bool together = run == lanes && run == layout.block;
    visit(together ? Strip{offset, dense, width * run}
                   : Strip{offset, dense + lane, run, width, layout.block, lanes});
  }
}

/// Rows of as many positions as lie together in the tensor and in a dense copy.
Extents rows_of(const Extents& all, Extents size) {
  if (size.width != all.width) return size;
  size.width *= std::exchange(size.height, 1);
  if (size.width == all.height * all.width) size.width *= std::exchange(size.depth, 1);
  return size;
}

/// Of a box whose dense copy has the tensor's own blocks: rows, and together what lies together in
/// both, for one long copy is faster than many short ones.
template <class Visit>
void for_each_long_strip(const StorageLayout& layout, const Box& box, Visit visit) {
  const Extents& all = layout.extents;
  Extents rows = rows_of(all, box.size);
  std::int64_t run = rows.width * layout.block;
  if (rows.width == layout.positions()) {
    run *= std::exchange(rows.channels, layout.block) / layout.block;
    if (box.size.channels == all.channels) run *= std::exchange(rows.samples, 1);
  }
  std::int64_t dense = 0;
  for_each_row(rows, layout.block, [&](auto n, auto c, auto d, auto h) {
    visit(Strip{layout.offset(box.begin.samples + n, box.begin.channels + c,
                              position_of(all, box.begin, d, h)),
                dense, run});
    dense += run;
  });
}

/// Calls visit(strip) until all of a box is visited, whose dense copy has `block` channels side by
/// side, and fewer at the end: plain order, or what layers of a step mostly have.
template <class Visit>
void for_each_strip(const StorageLayout& layout, const Box& box, std::int64_t block, Visit visit) {
  check_inside(box, layout.extents);
  const bool one = box.size.depth * box.size.height * box.size.width == 1;
  // Of one position the channels lie side by side, whatever the block.
  if (one && box.size.channels % layout.block == 0) block = layout.block;
  if (layout.block == block && box.begin.channels % block == 0 && box.size.channels % block == 0) {
    return for_each_long_strip(layout, box, visit);
  }
  const Extents rows = rows_of(layout.extents, box.size);
  std::int64_t dense = 0;
  for_each_row(rows, block, [&](auto n, auto c, auto d, auto h) {
    const std::int64_t lanes = std::min(block, rows.channels - c);
    for_each_strip_of_row(layout, box.begin.samples + n, box.begin.channels + c, lanes,
                          position_of(layout.extents, box.begin, d, h), rows.width, dense, visit);
    dense += rows.width * lanes;
  });
}

struct Copied {
  void operator()(const float* from, float* to, std::int64_t run) const {
    std::memcpy(to, from, static_cast<std::size_t>(run) * sizeof(float));
  }
};

struct Added {
  void operator()(const float* from, float* to, std::int64_t run) const {
    for (std::int64_t i = 0; i < run; ++i) to[i] += from[i];
  }
};

/// Calls put(from, to, run) for each run. Of a length that the compiler knows, runs of a block, or
/// half of one, take three quarters of the time.
template <class Put>
void put_runs(const float* from, std::int64_t from_step, float* to, std::int64_t to_step,
              const Strip& strip, Put put) {
  const auto all = [&](auto run) {
    for (std::int64_t i = 0; i < strip.count; ++i) put(from + i * from_step, to + i * to_step, run);
  };
  switch (strip.run) {
    case 1:
      return all(std::integral_constant<std::int64_t, 1>{});
    case 8:
      return all(std::integral_constant<std::int64_t, 8>{});
    case 16:
      return all(std::integral_constant<std::int64_t, 16>{});
    default:
      return all(strip.run);
  }
}

}  // namespace

std::int64_t CpuTensor::first_block(const Context& context, const Extents& extents) {
  const std::int64_t block = context.preferred_block();
  return extents.channels % block == 0 ? block : 1;
}

CpuTensor::CpuTensor(Context& context, const Extents& extents)
    : context_(context),
      layout_(StorageLayout::of(extents, first_block(context, extents))),
      memory_(context.allocator().allocate_floats(layout_.stored())) {}

void CpuTensor::pack(const Box& box, void* to) const {
  copy_to(box, static_cast<float*>(to), message_block(box));
}

bool CpuTensor::copy(const Tensor& from, const Box& box, const Extents& to) {
  const auto* other = dynamic_cast<const CpuTensor*>(&from);
  const bool alike = other != nullptr && other->layout_.block == layout_.block &&
                     of_blocks(other->layout_, box) && of_blocks(layout_, {to, box.size});
  if (alike) copy_box(*other, box, *this, to);
  return alike;
}

void CpuTensor::read(const Box& box, float* to) const { copy_to(box, to, 1); }

void CpuTensor::copy_to(const Box& box, float* dense, std::int64_t block) const {
  for_each_strip(layout_, box, block, [&](const Strip& s) {
    put_runs(data() + s.offset, s.step, dense + s.dense, s.dense_step, s, Copied{});
  });
}

void CpuTensor::unpack(const Box& box, const void* from) {
  fill(box, static_cast<const float*>(from), message_block(box));
}

void CpuTensor::write(const Box& box, const float* from) { fill(box, from, 1); }

void CpuTensor::fill(const Box& box, const float* from, std::int64_t block) {
  if (box.size == layout_.extents) zero_last_block();
  for_each_strip(layout_, box, block, [&](const Strip& s) {
    put_runs(from + s.dense, s.dense_step, data() + s.offset, s.step, s, Copied{});
  });
}

void CpuTensor::accumulate(const Box& box, const void* from) {
  const auto* dense = static_cast<const float*>(from);
  for_each_strip(layout_, box, message_block(box), [&](const Strip& s) {
    put_runs(dense + s.dense, s.dense_step, data() + s.offset, s.step, s, Added{});
  });
}

void CpuTensor::rewrite(std::int64_t block) {
  layout_ = StorageLayout::of(layout_.extents, block);
  const std::int64_t bytes = layout_.stored() * std::int64_t{sizeof(float)};
  if (memory_.bytes() == bytes) return;
  memory_ = MemoryBlock();
  memory_ = context_.allocator().allocate(bytes);
}

void CpuTensor::convert(std::int64_t block) {
  const StorageLayout wanted = StorageLayout::of(layout_.extents, block);
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

void CpuTensor::zero_last_block() {
  if (!layout_.filled_up()) return;
  const std::int64_t last = layout_.positions() * layout_.block;
  for (std::int64_t n = 1; n <= layout_.extents.samples; ++n) {
    std::memset(data() + n * layout_.sample_stride() - last, 0,
                static_cast<std::size_t>(last) * sizeof(float));
  }
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
  const StorageLayout source{from.layout().extents, block};
  const StorageLayout target{to.layout().extents, block};
  ensure(StorageLayout::of(source.extents, block) == from.layout() &&
             StorageLayout::of(target.extents, block) == to.layout() && of_blocks(source, box) &&
             of_blocks(target, {to_begin, box.size}),
         "a box is copied between tensors of unlike blocks");
  // What lies together in both.
  const Extents there = rows_of(source.extents, box.size), here = rows_of(target.extents, box.size);
  const Extents& rows = there.width < here.width ? there : here;
  const std::int64_t run = rows.width * block;
  for_each_row(rows, block, [&](auto n, auto c, auto d, auto h) {
    const auto at = position_of(source.extents, box.begin, d, h);
    const auto to_at = position_of(target.extents, to_begin, d, h);
    std::memcpy(to.data() + target.offset(to_begin.samples + n, to_begin.channels + c, to_at),
                from.data() + source.offset(box.begin.samples + n, box.begin.channels + c, at),
                static_cast<std::size_t>(run) * sizeof(float));
  });
}

}  // namespace oracle
