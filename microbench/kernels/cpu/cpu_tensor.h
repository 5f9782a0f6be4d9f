#pragma once
// A tensor in the processor's memory; see layout.h for the order of its values.

#include "microbench/kernels/cpu/context.h"
#include "microbench/kernels/cpu/storage_layout.h"

namespace oracle {

class CpuTensor final : public Tensor {
 public:
  /// In the blocks that convolutions like where the channels fill them, so that what is unpacked
  /// into it need not be reordered.
  CpuTensor(Context& context, const Extents& extents);
  static std::int64_t first_block(const Context& context, const Extents& extents);

  const Extents& extents() const override { return layout_.extents; }
  void pack(const Box& box, void* to) const override;
  void unpack(const Box& box, const void* from) override;
  void accumulate(const Box& box, const void* from) override;
  bool copy(const Tensor& from, const Box& box, const Extents& to) override;
  void* plain_values() override {
    convert(1);
    return data();
  }
  void* plain_values_anew() override {
    rewrite(1);
    return data();
  }
  void read(const Box& box, float* to) const override;
  void write(const Box& box, const float* from) override;

  const StorageLayout& layout() const { return layout_; }
  float* data() const { return memory_.floats(); }

  /// Takes on another block; the values are undefined.
  void rewrite(std::int64_t block);
  /// Gives its memory back until it is rewritten: while what is read is converted, what is written
  /// need not be there.
  void release() { memory_ = MemoryBlock(); }
  /// Takes on another block and keeps the values: a counted reorder where it differs.
  void convert(std::int64_t block);
  /// Same values and block as `from`, of as many channels and positions.
  void copy_of(const CpuTensor& from);
  void zero();
  /// Where channels do not fill it: the zeros that fill it up are part of the format.
  void zero_last_block();
  void evict() const;

 private:
  /// To and from a dense copy with `block` channels side by side.
  void copy_to(const Box& box, float* dense, std::int64_t block) const;
  void fill(const Box& box, const float* from, std::int64_t block);

  Context& context_;
  StorageLayout layout_;
  MemoryBlock memory_;
};

/// The tensor behind an operand; a Defect where it is missing or another back end's.
CpuTensor& cpu(Tensor* tensor);

/// Its values in plain order; and where such values are to be written, which are undefined.
inline float* plain_floats(Tensor* tensor) {
  cpu(tensor).convert(1);
  return cpu(tensor).data();
}
inline float* fresh_floats(Tensor* tensor) {
  cpu(tensor).rewrite(1);
  return cpu(tensor).data();
}

/// Values of `from`, a box of its tensor of whole blocks, to the box of equal size at `to_begin` of
/// `to`; both in one block.
void copy_box(const CpuTensor& from, const Box& box, CpuTensor& to, const Extents& to_begin);

}  // namespace oracle
