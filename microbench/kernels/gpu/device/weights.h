#pragma once
// Where do a layer's trainable tensors live, and in which order?
//
// Value, gradient and the optimizer's state of a parameter lie in one order, that of cuDNN's
// channels-last filters: K, window, C. Read and written they are K, C, window, from and to memory
// of the device or the host's.

#include <string_view>

#include "microbench/kernels/gpu/device/context.h"

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
  void begin_step() override;

  const float* value(std::size_t index) const { return parameters_.at(index).value.floats(); }
  /// Where a pass writes, or adds to what is there if `accumulates`; `wrote` when it has.
  float* gradient(std::size_t index) const { return parameters_.at(index).gradient.floats(); }
  bool accumulates(std::size_t index) const { return parameters_.at(index).accumulates; }
  void wrote(std::size_t index) { parameters_.at(index).accumulates = true; }

  void update(const OptimizerStep& step);

 private:
  struct Parameter {
    FilterShape shape;
    Block value, gradient, first_moment, second_moment;
    bool accumulates = false;
  };

  Block zeros(std::int64_t count);
  void to_plain(const Parameter& parameter, const Block& from, void* to) const;
  void from_plain(const Parameter& parameter, const void* from, const Block& to);

  Context& context_;
  std::vector<Parameter> parameters_;
};

GpuWeights& gpu(Weights* weights);

}  // namespace oracle::gpu
