// Losses, in double precision, since they are read and compared, and are small beside all else.
//   softmax        L = Σ_p log Σ_c exp(x[c, p] − m[p]) + m[p] − x[t[p], p],  m[p] the largest score
//                  dx = (softmax(x) − 1_t)·gradient_scale
//   mean squared   L = 1/n·Σ (x − t)² of each sample, n the elements of the whole network's sample,
//                  so that pieces add up;  dx = gradient_scale·2/n·(x − t)

#include "microbench/kernels/gpu/device/reductions/shares.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

template <class T>
class SoftmaxLoss final : public GpuKernel {
 public:
  SoftmaxLoss(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        fault_(context.faults(), context.pinned(),
               [name = layer.layer->name, classes = planes_.channels](float label) {
                 refuse(name, label, classes);
               }) {}

  void forward(const Call& call) override {
    const T* x = gpu(call.inputs[0]).as<T>();
    const float* targets = gpu(call.inputs[1]).as<float>();
    const Block rows = exponentials(x);
    const Block scratch = context_.scratch({planes_.samples, planes_.positions, 1});
    softmax_losses(context_.stream(), scratch.data(), planes_,
                   static_cast<const Exponentials*>(rows.data()), x, targets,
                   gpu(call.output).as<float>(), fault_.data());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const T* x = gpu(call.inputs[0]).as<T>();
    const Block rows = exponentials(x);
    softmax_loss_backward(context_.stream(), planes_, static_cast<const Exponentials*>(rows.data()),
                          x, gpu(call.inputs[1]).as<float>(),
                          context_.step().gradient_scale(call.gradient_scale),
                          gpu(call.input_gradients[0]).as<T>());
  }

 private:
  Block exponentials(const T* x) const {
    Block rows = context_.allocate(planes_.rows() * std::int64_t{sizeof(Exponentials)});
    const Reduction shape{planes_.rows(), planes_.channels, 1};
    const Block scratch = context_.scratch(shape);
    gpu::exponentials(context_.stream(), scratch.data(), shape, x,
                      static_cast<Exponentials*>(rows.data()));
    return rows;
  }

  [[noreturn]] static void refuse(const std::string& name, float label, std::int64_t classes) {
    throw InputError(name,
                     "a sample's class is " + std::to_string(label) + ", and the network has " +
                         std::to_string(classes),
                     "number the classes of the data from 0");
  }

  Context& context_;
  Planes planes_;
  Faults::Entry fault_;
};

template <class T>
class MeanSquaredLoss final : public GpuKernel {
 public:
  MeanSquaredLoss(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        share_(1 / static_cast<double>(layer.layer->input.elements())) {}

  void forward(const Call& call) override {
    const Block scratch =
        context_.scratch({planes_.samples, planes_.positions * planes_.channels, 1});
    squared_errors(context_.stream(), scratch.data(), planes_, gpu(call.inputs[0]).as<T>(),
                   gpu(call.inputs[1]).as<float>(), share_, gpu(call.output).as<float>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    scaled_difference(context_.stream(), gpu(call.inputs[0]).as<T>(),
                      gpu(call.inputs[1]).as<float>(), 2 * share_,
                      context_.step().gradient_scale(call.gradient_scale),
                      gpu(call.input_gradients[0]).as<T>(), planes_.elements());
  }

 private:
  Context& context_;
  Planes planes_;
  double share_;
};

}  // namespace

std::unique_ptr<Kernel> make_softmax_loss(Context& context, const LocalLayer& layer) {
  if (layer.inputs[0].channels < layer.layer->input.channels()) {
    throw InputError(layer.layer->name, "the GPU back end runs no loss over a vocabulary in parts",
                     "leave it whole, as in \"tensor:2; loss=whole:2\"");
  }
  return kernel_of<SoftmaxLoss>(context, layer);
}

std::unique_ptr<Kernel> make_mean_squared_loss(Context& context, const LocalLayer& layer) {
  return kernel_of<MeanSquaredLoss>(context, layer);
}

}  // namespace oracle::gpu
