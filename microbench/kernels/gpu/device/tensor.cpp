#include "microbench/kernels/gpu/device/tensor.h"

#include "microbench/kernels/gpu/device/boxes.h"
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
  check_inside(box, extents_);
  if (!Context::on_host(to)) {
    gpu::pack(context_.stream(), data(), extents_, box, static_cast<float*>(to));
    return;
  }
  const Block dense = context_.floats(box.size.elements());
  gpu::pack(context_.stream(), data(), extents_, box, dense.floats());
  context_.copy(to, dense.data(), dense.bytes());
}

void GpuTensor::put(const Box& box, const void* from, bool accumulate) {
  check_inside(box, extents_);
  if (!Context::on_host(from)) {
    gpu::unpack(context_.stream(), data(), extents_, box, static_cast<const float*>(from),
                accumulate);
    return;
  }
  const Block dense = context_.floats(box.size.elements());
  context_.copy(dense.data(), from, dense.bytes());
  gpu::unpack(context_.stream(), data(), extents_, box, dense.floats(), accumulate);
}

GpuTensor& gpu(Tensor* tensor) {
  auto* found = dynamic_cast<GpuTensor*>(tensor);
  ensure(found != nullptr, "a kernel's tensor is missing or another back end's");
  return *found;
}

}  // namespace oracle::gpu
