#pragma once
// What does a kernel work on, and how do its parts come and go?
//
// A tensor is one rank's piece, halos included. Its memory format is the back end's affair: a
// convolution leaves its output in the blocks that the next one wants. What leaves or enters a rank
// goes through pack and unpack, dense and in an order that follows from the box's size alone; what
// is looked at through read and write, samples outermost, then channel, depth, height, width.
//
// Worked: the box of channels [2, 4) of a 1×4×1×2×2 tensor that counts 0, 1, 2, … is read as 8 … 15
//                                                              tests/microbench/kernels/tensor_test.cpp

#include <cstdint>

namespace oracle {

/// Extents of a local tensor, or a position in it.
struct Extents {
  std::int64_t samples = 1, channels = 1, depth = 1, height = 1, width = 1;

  std::int64_t elements() const { return samples * channels * depth * height * width; }
  bool operator==(const Extents&) const = default;
};

/// The part [begin, begin + size) of a tensor along every axis.
struct Box {
  Extents begin{0, 0, 0, 0, 0};
  Extents size;
  bool operator==(const Box&) const = default;
};

/// A piece of a tensor in a back end's memory; made by Backend::tensor or fp32_tensor. Its values
/// are undefined until something writes all of it.
class Tensor {
 public:
  virtual ~Tensor() = default;
  virtual const Extents& extents() const = 0;

  /// Dense copies of a box, of `box.size.elements()` elements in the tensor's element type, in
  /// the back end's memory or the host's, in the back end's order. `accumulate` adds to what is
  /// there.
  virtual void pack(const Box& box, void* to) const = 0;
  virtual void unpack(const Box& box, const void* from) = 0;
  virtual void accumulate(const Box& box, const void* from) = 0;

  /// Copies a box of `from`, another tensor of this back end, to the box of its size at `to`.
  /// False, with nothing done, where a back end has no such way, or the two lie in unlike formats:
  /// packed and unpacked, it arrives as well.
  virtual bool copy(const Tensor& /*from*/, const Box& /*box*/, const Extents& /*to*/) {
    return false;
  }

  /// Where all of its values lie in plain order, in the element type, until a kernel has it; and
  /// where they are to be written. Null where a back end has no such place.
  virtual void* plain_values() { return nullptr; }
  virtual void* plain_values_anew() { return nullptr; }

  /// As pack and unpack, from and to fp32 in the host's memory, in plain order, rounded to the
  /// element type when written: for who looks at values and does not pass them on. As packed, for a
  /// back end of fp32 that packs in plain order.
  virtual void read(const Box& box, float* to) const { pack(box, to); }
  virtual void write(const Box& box, const float* from) { unpack(box, from); }

 protected:
  Tensor() = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
};

}  // namespace oracle
