// Rows of a trained table by the numbers of a text: y[p] = w[x[p]]. The numbers are whole, in fp32
// whatever other tensors are, and have no gradient; that of the table adds up dy in the rows that
// were read.

#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/trained_tensors.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

Lookup lookup_of(const LocalLayer& layer) {
  const Planes output = planes_of(layer.output);
  const std::int64_t entries = layer.layer->weights.front().features_out;
  return {output.rows(), entries, output.channels, layer.first_row,
          layer.rows > 0 ? layer.rows : entries};
}

template <class T>
class Embedding final : public GpuKernel {
 public:
  Embedding(Context& context, const LocalLayer& layer)
      : context_(context),
        lookup_(lookup_of(layer)),
        fault_(context.faults(), context.pinned(),
               [name = layer.layer->name, entries = lookup_.entries](float number) {
                 refuse(name, number, entries);
               }) {}

  void forward(const Call& call) override {
    look_up(context_.stream(), lookup_, gpu(call.inputs[0]).as<float>(),
            gpu(call.weights).read_by_passes<T>(0), gpu(call.output).as<T>(), fault_.data());
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
  [[noreturn]] static void refuse(const std::string& name, float number, std::int64_t entries) {
    throw InputError(name,
                     "it reads " + std::to_string(number) + ", and its table has rows 0 to " +
                         std::to_string(entries - 1),
                     "train it on integers, as the generated samples are");
  }

  Context& context_;
  Lookup lookup_;
  Faults::Entry fault_;
};

}  // namespace

std::unique_ptr<Kernel> make_embedding(Context& context, const LocalLayer& layer) {
  return kernel_of<Embedding>(context, layer);
}

}  // namespace oracle::gpu
