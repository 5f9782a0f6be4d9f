#pragma once
// A tensor in the device's memory, channels innermost (boxes.h). Pack and unpack take memory of the
// device or the host's.

#include "microbench/kernels/gpu/device/runtime/context.h"
#include "oracle/base/error.h"

namespace oracle::gpu {

class GpuTensor final : public Tensor {
 public:
  GpuTensor(Context& context, const Extents& extents, Element type)
      : context_(context),
        extents_(extents),
        type_(type),
        memory_(context.values(extents.elements(), type)) {}

  const Extents& extents() const override { return extents_; }
  void pack(const Box& box, void* to) const override;
  void unpack(const Box& box, const void* from) override { put(box, from, false); }
  void accumulate(const Box& box, const void* from) override { put(box, from, true); }
  void read(const Box& box, float* to) const override;
  void write(const Box& box, const float* from) override;

  Element type() const { return type_; }
  void* data() const { return memory_.data(); }
  /// The values, which are of this type.
  template <class T>
  T* as() const {
    ensure(kElementOf<T> == type_, "a kernel's tensor is of another element type");
    return memory_.as<T>();
  }
  std::int64_t elements() const { return extents_.elements(); }
  std::int64_t bytes() const { return memory_.bytes(); }

 private:
  void put(const Box& box, const void* from, bool accumulate);
  // Of the device's memory, which the driver is not asked about.
  void pack_here(const Box& box, void* to) const;
  void put_here(const Box& box, const void* from, bool accumulate);
  Block packed(const Box& box) const;

  Context& context_;
  Extents extents_;
  Element type_;
  Block memory_;
};

/// The tensor behind an operand; a Defect where it is missing or another back end's.
GpuTensor& gpu(Tensor* tensor);

inline Planes planes_of(const Extents& e) {
  return {e.samples, e.depth * e.height * e.width, e.channels};
}

}  // namespace oracle::gpu
