#pragma once
// Where do a layer's trainable tensors live, and in which order?
//
// Value, gradient and the optimizer's state of a parameter lie in one order, that of cuDNN's
// channels-last filters: K, window, C. Read and written they are K, C, window, from and to memory
// of the device or the host's.
//
// Values and state are fp32. Where the back end's elements are not, gradients are of theirs, and
// passes read a copy that is, written with each update; normalizations read the values themselves.
//                                tests/microbench/kernels/weights_test.cpp

#include <string_view>

#include "microbench/kernels/gpu/device/runtime/context.h"

namespace oracle::gpu {

/// A contraction's weight as `filters` of `channels` (within a group) and `positions`. A transposed
/// convolution's filters are its inputs' channels.
struct FilterShape {
  std::int64_t filters = 0, channels = 1, positions = 1;
  std::int64_t elements() const { return filters * channels * positions; }
};
FilterShape filter_shape(const LocalLayer& layer);

class GpuWeights final : public Weights {
 public:
  GpuWeights(Context& context, const LocalLayer& layer);

  std::int64_t elements(std::size_t index) const override {
    return parameters_.at(index).shape.elements();
  }
  void read(std::size_t index, void* to) const override;
  void write(std::size_t index, const void* from) override;
  void read_gradient(std::size_t index, void* to) const override;
  void write_gradient(std::size_t index, const void* from) override;
  void read_moment(std::size_t index, Moment moment, void* to) const override;
  void write_moment(std::size_t index, Moment moment, const void* from) override;
  void pack_gradient(std::size_t index, void* to) const override;
  void unpack_gradient(std::size_t index, const void* from) override;
  void begin_step() override;

  const float* value(std::size_t index) const { return parameters_.at(index).value.floats(); }
  /// The value, or its copy in the back end's element type; of no normalization.
  template <class T>
  const T* read_by_passes(std::size_t index) const {
    const Parameter& parameter = parameters_.at(index);
    return (kElementOf<T> == Element::fp32 ? parameter.value : parameter.copy).template as<T>();
  }
  /// Where a pass writes, or adds to what is there if `accumulates`; `wrote` when it has.
  template <class T>
  T* gradient(std::size_t index) const {
    return parameters_.at(index).gradient.template as<T>();
  }
  bool accumulates(std::size_t index) const { return parameters_.at(index).accumulates; }
  void wrote(std::size_t index) { parameters_.at(index).accumulates = true; }

  void update(const OptimizerStep& step);
  /// `found`, on the device, becomes 1 where a gradient is infinite or no number.
  void find_not_finite(std::int32_t* found) const;

 private:
  struct Parameter {
    FilterShape shape;
    Block value, copy, gradient, first_moment, second_moment;
    bool accumulates = false;

    const Block& of(Moment moment) const {
      return moment == Moment::first ? first_moment : second_moment;
    }
    Block& of(Moment moment) { return moment == Moment::first ? first_moment : second_moment; }
  };

  Block zeros(std::int64_t count, Element type);
  template <class T>
  void to_plain(const FilterShape& shape, const Block& from, void* to) const;
  template <class T>
  void from_plain(const FilterShape& shape, const void* from, const Block& to);
  template <class T>
  void update(Parameter& parameter, const OptimizerStep& step);

  Context& context_;
  std::vector<Parameter> parameters_;
};

GpuWeights& gpu(Weights* weights);

}  // namespace oracle::gpu
