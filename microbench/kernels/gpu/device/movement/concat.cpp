// Joins tensors along the channels.

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class Concat final : public GpuKernel {
 public:
  Concat(Context& context, const LocalLayer& layer)
      : context_(context), joined_(planes_of(layer.output)) {
    for (const Extents& input : layer.inputs) channels_.push_back(input.channels);
  }

  void forward(const Call& call) override {
    T* y = gpu(call.output).as<T>();
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::int64_t own = channels_[i];
      copy_channels(context_.stream(), {joined_.rows(), own, own, 0, joined_.channels, begin},
                    gpu(call.inputs[i]).as<T>(), y);
      begin += own;
    }
  }

  void backward_data(const Call& call) override {
    const T* dy = gpu(call.output_gradient).as<T>();
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::int64_t own = channels_[i];
      if (call.input_gradients[i] != nullptr) {
        copy_channels(context_.stream(), {joined_.rows(), own, joined_.channels, begin, own, 0}, dy,
                      gpu(call.input_gradients[i]).as<T>());
      }
      begin += own;
    }
  }

 private:
  Context& context_;
  Planes joined_;
  std::vector<std::int64_t> channels_;  ///< of the inputs
};

}  // namespace

std::unique_ptr<Kernel> make_concat(Context& context, const LocalLayer& layer) {
  return kernel_of<Concat>(context, layer);
}

}  // namespace oracle::gpu
