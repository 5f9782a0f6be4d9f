// Rows of a trained table by the numbers of a text: y[p] = w[x[p]]. The numbers are whole, in fp32
// whatever other tensors are, and have no gradient; that of the table adds up dy in the rows that
// were read.

#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"
#include "microbench/kernels/gpu/device/trained_tensors.h"
#include "microbench/kernels/gpu/device/weights.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

Lookup lookup_of(const LocalLayer& layer) {
  const Planes output = planes_of(layer.output);
  return {output.rows(), layer.layer->weights.front().elements / output.channels, output.channels};
}

template <class T>
class Embedding final : public GpuKernel {
 public:
  Embedding(Context& context, const LocalLayer& layer)
      : context_(context), name_(layer.layer->name), lookup_(lookup_of(layer)) {}

  void forward(const Call& call) override {
    const float* numbers = gpu(call.inputs[0]).as<float>();
    const Block bad = context_.allocate(sizeof(std::int64_t));
    context_.zero(bad.data(), bad.bytes());
    look_up(context_.stream(), lookup_, numbers, gpu(call.weights).read_by_passes<T>(0),
            gpu(call.output).as<T>(), bad.as<std::int64_t>());
    std::int64_t place = 0;
    context_.copy(&place, bad.data(), bad.bytes());
    if (place > 0) refuse(numbers + (place - 1));
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& none = gpu(call.input_gradients[0]);
    context_.zero(none.data(), none.bytes());
  }

  void backward_weights(const Call& call) override {
    GpuWeights& weights = gpu(call.weights);
    T* gradient = weights.gradient<T>(0);
    if (!weights.accumulates(0)) {
      context_.zero(gradient, weights.elements(0) * std::int64_t{sizeof(T)});
    }
    const Block order = context_.allocate(order_bytes(lookup_));
    look_up_backward(context_.stream(), order.data(), lookup_, gpu(call.inputs[0]).as<float>(),
                     gpu(call.output_gradient).as<T>(), gradient);
    weights.wrote(0);
  }

 private:
  [[noreturn]] void refuse(const float* place) const {
    float number = 0;
    context_.copy(&number, place, sizeof number);
    throw InputError(name_,
                     "it reads " + std::to_string(number) + ", and its table has rows 0 to " +
                         std::to_string(lookup_.entries - 1),
                     "train it on whole numbers, as the generated samples are");
  }

  Context& context_;
  std::string name_;
  Lookup lookup_;
};

}  // namespace

std::unique_ptr<Kernel> make_embedding(Context& context, const LocalLayer& layer) {
  return kernel_of<Embedding>(context, layer);
}

}  // namespace oracle::gpu
