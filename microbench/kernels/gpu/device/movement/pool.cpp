// Pooling over a window. The places of the maxima are kept for the backward pass; without them
// (another kernel ran forward) they are found again.

#include "microbench/kernels/gpu/device/movement/windows.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

/// At which input position each maximum lay.
struct Places final : Saved {
  Extents input, output;  ///< that they were found for
  Block data;
  std::int32_t* numbers() const { return static_cast<std::int32_t*>(data.data()); }
};

template <class T>
class Pool final : public GpuKernel {
 public:
  Pool(Context& context, const LocalLayer& layer)
      : context_(context),
        max_(layer.layer->variant == "max"),
        pooling_{layer.inputs[0], layer.output, layer.window} {}

  std::unique_ptr<Saved> saved() const override {
    return max_ ? std::make_unique<Places>() : nullptr;
  }

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const GpuTensor& y = gpu(call.output);
    if (!max_) return mean_pool(context_.stream(), pooling_, x.as<T>(), y.as<T>());
    Places unkept;
    auto* saved = dynamic_cast<Places*>(call.saved);
    find_maxima(x, y.as<T>(), saved != nullptr ? *saved : unkept);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dy = gpu(call.output_gradient);
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    if (!max_) return mean_pool_backward(context_.stream(), pooling_, dy.as<T>(), dx.as<T>());
    Places found;
    auto* places = dynamic_cast<Places*>(call.saved);
    if (places == nullptr || !fit(*places)) {
      const Block maxima = context_.values(pooling_.output.elements());
      find_maxima(gpu(call.inputs[0]), maxima.as<T>(), found);
      places = &found;
    }
    max_pool_backward(context_.stream(), pooling_, places->numbers(), dy.as<T>(), dx.as<T>());
  }

 private:
  bool fit(const Places& places) const {
    return places.data.data() != nullptr && places.input == pooling_.input &&
           places.output == pooling_.output;
  }

  void find_maxima(const GpuTensor& x, T* y, Places& places) const {
    const std::int64_t bytes = pooling_.output.elements() * std::int64_t{sizeof(std::int32_t)};
    if (places.data.bytes() != bytes) {
      places.data = Block();
      places.data = context_.allocate(bytes);
    }
    places.input = pooling_.input;
    places.output = pooling_.output;
    max_pool(context_.stream(), pooling_, x.as<T>(), y, places.numbers());
  }

  Context& context_;
  bool max_;
  Pooling pooling_;
};

}  // namespace

std::unique_ptr<Kernel> make_pool(Context& context, const LocalLayer& layer) {
  const Layer& whole = *layer.layer;
  if (whole.window == Window{}) return make_view(context, layer);
  if (whole.reach == Reach::global) return make_global_mean(context, layer);
  return kernel_of<Pool>(context, layer);
}

}  // namespace oracle::gpu
