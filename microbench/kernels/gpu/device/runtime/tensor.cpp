#include "microbench/kernels/gpu/device/runtime/tensor.h"

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"
#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
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

}  // namespace

void GpuTensor::pack(const Box& box, void* to) const {
  if (!context_.on_host(to)) return pack_here(box, to);
  const Block dense = packed(box);
  context_.copy(to, dense.data(), dense.bytes());
}

void GpuTensor::pack_here(const Box& box, void* to) const {
  check_inside(box, extents_);
  with_type(type_, [&](auto type) {
    using T = typename decltype(type)::Of;
    gpu::pack(context_.stream(), as<T>(), extents_, box, static_cast<T*>(to));
  });
}

void GpuTensor::put(const Box& box, const void* from, bool accumulate) {
  if (!context_.on_host(from)) return put_here(box, from, accumulate);
  const Block dense = context_.values(box.size.elements(), type_);
  context_.copy(dense.data(), from, dense.bytes());
  put_here(box, dense.data(), accumulate);
}

void GpuTensor::put_here(const Box& box, const void* from, bool accumulate) {
  check_inside(box, extents_);
  with_type(type_, [&](auto type) {
    using T = typename decltype(type)::Of;
    gpu::unpack(context_.stream(), as<T>(), extents_, box, static_cast<const T*>(from), accumulate);
  });
}

void GpuTensor::read(const Box& box, float* to) const {
  if (type_ == Element::fp32) return pack(box, to);
  check_inside(box, extents_);
  const Block widened = context_.floats(box.size.elements());
  with_type(type_, [&](auto type) {
    using T = typename decltype(type)::Of;
    store(context_.stream(), packed(box).template as<T>(), widened.floats(), box.size.elements(),
          false);
  });
  context_.copy(to, widened.data(), widened.bytes());
}

void GpuTensor::write(const Box& box, const float* from) {
  if (type_ == Element::fp32) return unpack(box, from);
  Block given;
  if (context_.on_host(from)) {
    given = context_.floats(box.size.elements());
    context_.copy(given.data(), from, given.bytes());
  }
  const float* values = given.data() != nullptr ? given.floats() : from;
  const Block dense = context_.values(box.size.elements(), type_);
  with_type(type_, [&](auto type) {
    using T = typename decltype(type)::Of;
    store(context_.stream(), values, dense.as<T>(), box.size.elements(), false);
  });
  put_here(box, dense.data(), false);
}

Block GpuTensor::packed(const Box& box) const {
  Block dense = context_.values(box.size.elements(), type_);
  pack_here(box, dense.data());
  return dense;
}

GpuTensor& gpu(Tensor* tensor) {
  auto* found = dynamic_cast<GpuTensor*>(tensor);
  ensure(found != nullptr, "a kernel's tensor is missing or another back end's");
  return *found;
}

}  // namespace oracle::gpu
