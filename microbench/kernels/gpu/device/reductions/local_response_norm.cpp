// y[c] = x[c]·(k + α/n·Σ x[c']²)^−β over the n channels around c, with PyTorch's constants, of
// which a layer keeps n alone. The sums are kept for the backward pass.

#include "microbench/kernels/gpu/device/movement/windows.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

struct Scales final : Saved {
  Block data;
};

template <class T>
class LocalResponseNorm final : public GpuKernel {
 public:
  LocalResponseNorm(Context& context, const LocalLayer& layer) : context_(context) {
    const Planes planes = planes_of(layer.output);
    norm_.rows = planes.rows();
    norm_.channels = planes.channels;
    norm_.size = layer.layer->summed_channels;
    if (norm_.size % 2 == 0) {
      throw InputError(
          layer.layer->name,
          "the GPU back end sums an odd number of channels, not " + std::to_string(norm_.size),
          "choose an odd \"size\"");
    }
  }

  std::unique_ptr<Saved> saved() const override { return std::make_unique<Scales>(); }

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    Scales unkept;
    auto* saved = dynamic_cast<Scales*>(call.saved);
    Block& scales = (saved != nullptr ? *saved : unkept).data;
    const std::int64_t bytes = x.elements() * std::int64_t{sizeof(float)};
    if (scales.bytes() != bytes) scales = context_.allocate(bytes);
    response_norm(context_.stream(), norm_, x.as<T>(), gpu(call.output).as<T>(), scales.floats());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const auto* saved = dynamic_cast<const Scales*>(call.saved);
    ensure(saved != nullptr && saved->data.data() != nullptr,
           "a local response norm runs without what its forward pass saved");
    response_norm_backward(context_.stream(), norm_, gpu(call.inputs[0]).as<T>(),
                           saved->data.floats(), gpu(call.output_gradient).as<T>(),
                           gpu(call.input_gradients[0]).as<T>());
  }

 private:
  Context& context_;
  ResponseNorm norm_;
};

}  // namespace

std::unique_ptr<Kernel> make_local_response_norm(Context& context, const LocalLayer& layer) {
  return kernel_of<LocalResponseNorm>(context, layer);
}

}  // namespace oracle::gpu
