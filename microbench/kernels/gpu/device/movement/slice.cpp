// A part of a tensor. The gradient is zero where nothing was taken.

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

/// Along an axis that is cut the part is all of it, and begins at 0.
Box part_of(const LocalLayer& layer) {
  const auto begin = [&](Axis axis) { return layer.layer->begin[static_cast<std::size_t>(axis)]; };
  return {{0, begin(Axis::channel), begin(Axis::depth), begin(Axis::height), begin(Axis::width)},
          layer.output};
}

template <class T>
class Slice final : public GpuKernel {
 public:
  Slice(Context& context, const LocalLayer& layer)
      : context_(context), whole_(layer.inputs[0]), part_(part_of(layer)) {}

  void forward(const Call& call) override {
    copy_box(context_.stream(), gpu(call.inputs[0]).as<T>(), whole_, part_,
             gpu(call.output).as<T>(), part_.size, {0, 0, 0, 0, 0});
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    context_.zero(dx.data(), dx.bytes());
    copy_box(context_.stream(), gpu(call.output_gradient).as<T>(), part_.size,
             {{0, 0, 0, 0, 0}, part_.size}, dx.as<T>(), whole_, part_.begin);
  }

 private:
  Context& context_;
  Extents whole_;
  Box part_;
};

}  // namespace

std::unique_ptr<Kernel> make_slice(Context& context, const LocalLayer& layer) {
  return kernel_of<Slice>(context, layer);
}

}  // namespace oracle::gpu
