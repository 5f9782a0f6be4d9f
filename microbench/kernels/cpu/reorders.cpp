#include "microbench/kernels/cpu/reorders.h"

#include "oracle/base/hash.h"

namespace oracle {
namespace {

/// Adds what tells most formats apart; which one it is, oneDNN compares.
void mix_in(std::uint64_t& hash, const dnnl::memory::desc& format) {
  for (int axis = 0; axis < format.data.ndims; ++axis) {
    mix(hash, static_cast<std::uint64_t>(format.data.dims[axis]));
    mix(hash, static_cast<std::uint64_t>(format.data.format_desc.blocking.strides[axis]));
  }
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
  std::uint64_t hash = accumulate ? 1 : 0;
  mix_in(hash, from);
  mix_in(hash, to);
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
