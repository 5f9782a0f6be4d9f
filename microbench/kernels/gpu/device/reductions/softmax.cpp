// Softmax inside a network: over the channels of a group at each position, or over the positions of
// each channel. Both passes may run in place.
//   y[i] = exp x[i] / Σ_j exp x[j],  dx = y·(dy − Σ dy·y)

#include "microbench/kernels/gpu/device/reductions/shares.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

Reduction sharing(const LocalLayer& layer) {
  const Planes planes = planes_of(layer.output);
  if (layer.layer->mixing == Mixing::channelwise) {
    return {planes.samples, planes.positions, planes.channels};
  }
  return {planes.rows() * layer.groups, planes.channels / layer.groups, 1};
}

template <class T>
class Softmax final : public GpuKernel {
 public:
  Softmax(Context& context, const LocalLayer& layer) : context_(context), shape_(sharing(layer)) {}

  void forward(const Call& call) override {
    const T* x = gpu(call.inputs[0]).as<T>();
    const Block all = context_.allocate(sharers() * std::int64_t{sizeof(Exponentials)});
    const Block scratch = context_.scratch(shape_);
    exponentials(context_.stream(), scratch.data(), shape_, x, all.as<Exponentials>());
    to_shares(context_.stream(), shape_, all.as<Exponentials>(), x, gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const T* y = gpu(call.output).as<T>();
    const T* dy = gpu(call.output_gradient).as<T>();
    const Block sums = context_.floats(sharers());
    const Block scratch = context_.scratch(shape_);
    share_products(context_.stream(), scratch.data(), shape_, y, dy, sums.floats());
    through_shares(context_.stream(), shape_, sums.floats(), y, dy,
                   gpu(call.input_gradients[0]).as<T>());
  }

 private:
  std::int64_t sharers() const { return shape_.segments * shape_.width; }

  Context& context_;
  Reduction shape_;
};

}  // namespace

std::unique_ptr<Kernel> make_softmax(Context& context, const LocalLayer& layer) {
  return kernel_of<Softmax>(context, layer);
}

}  // namespace oracle::gpu
