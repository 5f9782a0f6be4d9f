// An activation function of each element. Backward reads the output where the derivative follows
// from it, so that both passes may run in place.

#include <array>

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

struct Row {
  std::string_view name;
  Function function;
};

constexpr std::array kFunctions = {
    Row{"relu", Function::relu},
    Row{"relu6", Function::relu6},
    Row{"relu2", Function::relu2},
    Row{"leaky_relu", Function::leaky_relu},
    Row{"sigmoid", Function::sigmoid},
    Row{"tanh", Function::tanh},
    Row{"silu", Function::silu},
    Row{"hardswish", Function::hardswish},
    Row{"hardsigmoid", Function::hardsigmoid},
    Row{"gelu", Function::gelu},
    Row{"elu", Function::elu},
    Row{"softplus", Function::softplus},
    Row{"mish", Function::mish},
    Row{"exp", Function::exp},
    Row{"log", Function::log},
    Row{"sqrt", Function::sqrt},
    Row{"abs", Function::abs},
    Row{"power", Function::power},
};

Function function_of(const Layer& layer) {
  for (const Row& row : kFunctions) {
    if (row.name == layer.variant) return row.function;
  }
  throw InputError(layer.name,
                   "the GPU back end has no activation \"" + std::string(layer.variant) + "\"");
}

template <class T>
class Activation final : public GpuKernel {
 public:
  Activation(Context& context, const LocalLayer& layer)
      : context_(context),
        function_(function_of(*layer.layer)),
        from_output_(layer.layer->keeps_output),
        count_(layer.output.elements()) {}

  void forward(const Call& call) override {
    activate(context_.stream(), function_, gpu(call.inputs[0]).as<T>(), gpu(call.output).as<T>(),
             count_);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& kept = gpu(from_output_ ? call.output : call.inputs[0]);
    activate_backward(context_.stream(), function_, kept.as<T>(), gpu(call.output_gradient).as<T>(),
                      gpu(call.input_gradients[0]).as<T>(), count_);
  }

 private:
  Context& context_;
  Function function_;
  bool from_output_;
  std::int64_t count_;
};

}  // namespace

std::unique_ptr<Kernel> make_activation(Context& context, const LocalLayer& layer) {
  // Its factor is 1.
  if (layer.layer->variant == "linear") return make_view(context, layer);
  return kernel_of<Activation>(context, layer);
}

}  // namespace oracle::gpu
