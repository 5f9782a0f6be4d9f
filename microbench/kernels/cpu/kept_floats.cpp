#include "microbench/kernels/cpu/kept_floats.h"

#include <algorithm>

namespace oracle {
namespace {

std::int64_t elements_of(const dnnl::memory::desc& format) {
  std::int64_t product = 1;
  for (int i = 0; i < format.data.ndims; ++i) product *= format.data.dims[i];
  return product;
}

/// Whether only that dimension is filled up.
bool fills_up_only(const dnnl::memory::desc& format, std::int64_t dimension) {
  for (int i = 0; i < format.data.ndims; ++i) {
    if (i != dimension && format.data.dims[i] != format.data.padded_dims[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<KeptFloats> kept_floats(const dnnl::memory::desc& format) {
  const auto stored = static_cast<std::int64_t>(format.get_size() / sizeof(float));
  if (elements_of(format) == stored) return KeptFloats{stored};
  const dnnl_blocking_desc_t& blocking = format.data.format_desc.blocking;
  if (blocking.inner_nblks == 0) return std::nullopt;
  const int innermost = blocking.inner_nblks - 1;
  const std::int64_t dimension = blocking.inner_idxs[innermost];
  const std::int64_t block = blocking.inner_blks[innermost];
  for (int i = 0; i < innermost; ++i) {
    if (blocking.inner_idxs[i] == dimension) return std::nullopt;
  }
  const std::int64_t before = format.data.padded_dims[dimension] / block - 1;
  const std::int64_t own = format.data.dims[dimension] - before * block;
  const std::int64_t stride = blocking.strides[dimension];
  const bool outermost = (before + 1) * stride == stored;
  if (!outermost || own <= 0 || !fills_up_only(format, dimension)) return std::nullopt;
  return KeptFloats{before * stride, stride / block, own, block};
}

void gather(const KeptFloats& kept, const float* memory, float* dense) {
  for_each_piece<const float>(kept, memory, [&](std::span<const float> piece) {
    dense = std::copy(piece.begin(), piece.end(), dense);
  });
}

void scatter(const KeptFloats& kept, const float* dense, float* memory) {
  for_each_piece<float>(kept, memory, [&](std::span<float> piece) {
    std::copy_n(dense, piece.size(), piece.begin());
    dense += piece.size();
  });
}

}  // namespace oracle
