#include "microbench/kernels/cpu/reorders.h"

#include <span>

namespace oracle {
namespace {

void mix(std::size_t& hash, std::span<const dnnl_dim_t> values) {
  for (const dnnl_dim_t value : values)
    hash = (hash ^ static_cast<std::size_t>(value)) * 1099511628211U;
}

/// Of what tells most formats apart; which one it is, oneDNN compares.
void mix(std::size_t& hash, const dnnl::memory::desc& format) {
  const auto axes = static_cast<std::size_t>(format.data.ndims);
  const dnnl_blocking_desc_t& blocking = format.data.format_desc.blocking;
  mix(hash, {format.data.dims, axes});
  mix(hash, {blocking.strides, axes});
}

dnnl::primitive_attr attributes_for(bool accumulate) {
  dnnl::primitive_attr attributes = scratch_of_the_caller();
  if (!accumulate) return attributes;
  dnnl::post_ops sum;
  sum.append_sum(1.0F);
  attributes.set_post_ops(sum);
  return attributes;
}

}  // namespace

const Primitive& Reorders::find(const dnnl::engine& engine, const dnnl::memory::desc& from,
                                const dnnl::memory::desc& to, bool accumulate) {
  std::size_t hash = accumulate ? 1 : 0;
  mix(hash, from);
  mix(hash, to);
  const auto [first, last] = ready_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Ready& ready = it->second;
    if (ready.accumulate == accumulate && ready.from == from && ready.to == to) {
      return ready.primitive;
    }
  }
  const dnnl::reorder::primitive_desc description(engine, from, engine, to,
                                                  attributes_for(accumulate));
  return ready_.emplace(hash, Ready{from, to, accumulate, Primitive(description)})
      ->second.primitive;
}

}  // namespace oracle
