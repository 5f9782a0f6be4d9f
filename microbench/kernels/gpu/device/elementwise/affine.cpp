// A sum or product with a trained tensor, y = x + w or y = x·w, w repeated to fit a sample (the
// kind says how):  dx = dy or dy·w,  dw = Σ dy or Σ dy·x

#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/trained_tensors.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"

namespace oracle::gpu {
namespace {

Repeated repeated(const LocalLayer& layer) {
  Repeated of{layer.output,
              layer.place,
              layer.whole,
              layer.layer->input.channels(),
              layer.layer->weights.front().elements,
              0};
  if (of.elements % of.channels != 0) return of;
  of.each = of.elements / of.channels;
  of.elements = of.each * of.own.channels;
  return of;
}

template <class T>
class Affine final : public GpuKernel {
 public:
  Affine(Context& context, const LocalLayer& layer)
      : context_(context),
        repeated_(repeated(layer)),
        joined_(layer.layer->variant == "scale" ? Joined::product : Joined::sum) {}

  void forward(const Call& call) override {
    join_repeated(context_.stream(), repeated_, joined_, gpu(call.inputs[0]).as<T>(),
                  gpu(call.weights).read_by_passes<T>(0), gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dy = gpu(call.output_gradient);
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    if (joined_ == Joined::sum) return context_.copy_here(dx.data(), dy.data(), dy.bytes());
    join_repeated(context_.stream(), repeated_, joined_, dy.as<T>(),
                  gpu(call.weights).read_by_passes<T>(0), dx.as<T>());
  }

  void backward_weights(const Call& call) override {
    GpuWeights& weights = gpu(call.weights);
    const T* x = joined_ == Joined::product ? gpu(call.inputs[0]).as<T>() : nullptr;
    const Block scratch = context_.scratch(repetitions(repeated_));
    repeated_sums(context_.stream(), scratch.data(), repeated_, joined_, x,
                  gpu(call.output_gradient).as<T>(), weights.gradient<T>(0),
                  weights.accumulates(0));
    weights.wrote(0);
  }

 private:
  Context& context_;
  Repeated repeated_;
  Joined joined_;
};

}  // namespace

std::unique_ptr<Kernel> make_affine(Context& context, const LocalLayer& layer) {
  return kernel_of<Affine>(context, layer);
}

}  // namespace oracle::gpu
