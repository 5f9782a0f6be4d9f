#pragma once
// A tensor in the device's memory, channels innermost (boxes.h). Pack and unpack take memory of the
// device or the host's.

#include "microbench/kernels/gpu/device/context.h"

namespace oracle::gpu {

class GpuTensor final : public Tensor {
 public:
  GpuTensor(Context& context, const Extents& extents)
      : context_(context), extents_(extents), memory_(context.floats(extents.elements())) {}

  const Extents& extents() const override { return extents_; }
  void pack(const Box& box, void* to) const override;
  void unpack(const Box& box, const void* from) override { put(box, from, false); }
  void accumulate(const Box& box, const void* from) override { put(box, from, true); }

  float* data() const { return memory_.floats(); }
  std::int64_t elements() const { return extents_.elements(); }
  std::int64_t bytes() const { return memory_.bytes(); }

 private:
  void put(const Box& box, const void* from, bool accumulate);

  Context& context_;
  Extents extents_;
  Block memory_;
};

/// The tensor behind an operand; a Defect where it is missing or another back end's.
GpuTensor& gpu(Tensor* tensor);

inline Planes planes_of(const Extents& e) {
  return {e.samples, e.depth * e.height * e.width, e.channels};
}

}  // namespace oracle::gpu
