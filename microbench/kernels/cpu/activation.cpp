// An activation function of each element, in the format its input has. Backward reads the output
// where the derivative follows from it, so that both passes may run in place.

#include <array>
#include <map>
#include <utility>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using dnnl::algorithm;

/// PyTorch's slope below zero; a layer keeps none.
constexpr float kLeakySlope = 0.01F;

/// The same function to both passes of oneDNN; `backward` differs where it reads the output.
struct Function {
  std::string_view name;
  algorithm forward;
  algorithm backward;
  float alpha = 0;
};

constexpr std::array kFunctions = {
    Function{"relu", algorithm::eltwise_relu, algorithm::eltwise_relu_use_dst_for_bwd},
    Function{"leaky_relu", algorithm::eltwise_relu, algorithm::eltwise_relu_use_dst_for_bwd,
             kLeakySlope},
    Function{"sigmoid", algorithm::eltwise_logistic, algorithm::eltwise_logistic_use_dst_for_bwd},
    Function{"tanh", algorithm::eltwise_tanh, algorithm::eltwise_tanh_use_dst_for_bwd},
    Function{"silu", algorithm::eltwise_swish, algorithm::eltwise_swish, 1},
    Function{"hardswish", algorithm::eltwise_hardswish, algorithm::eltwise_hardswish},
    Function{"gelu", algorithm::eltwise_gelu_erf, algorithm::eltwise_gelu_erf},
    Function{"elu", algorithm::eltwise_elu, algorithm::eltwise_elu_use_dst_for_bwd, 1},
    Function{"softplus", algorithm::eltwise_soft_relu, algorithm::eltwise_soft_relu},
    Function{"mish", algorithm::eltwise_mish, algorithm::eltwise_mish},
    Function{"exp", algorithm::eltwise_exp, algorithm::eltwise_exp_use_dst_for_bwd},
    Function{"log", algorithm::eltwise_log, algorithm::eltwise_log},
    Function{"sqrt", algorithm::eltwise_sqrt, algorithm::eltwise_sqrt_use_dst_for_bwd},
    Function{"abs", algorithm::eltwise_abs, algorithm::eltwise_abs},
    Function{"power", algorithm::eltwise_square, algorithm::eltwise_square},
};

const Function& function_of(const Layer& layer) {
  for (const Function& function : kFunctions) {
    if (function.name == layer.variant) return function;
  }
  throw InputError(layer.name,
                   "the CPU back end has no activation \"" + std::string(layer.variant) + "\"");
}

class Activation final : public CpuKernel {
 public:
  Activation(Context& context, const LocalLayer& layer)
      : context_(context),
        function_(function_of(*layer.layer)),
        from_output_(layer.layer->keeps_output),
        rank_(rank_of(*layer.layer)) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.rewrite(x.layout().block);
    const Passes& passes = passes_for(x.layout());
    context_.run(passes.forward, {{DNNL_ARG_SRC, context_.memory(passes.format, x.data())},
                                  {DNNL_ARG_DST, context_.memory(passes.format, y.data())}});
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& kept = cpu(from_output_ ? call.output : call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(kept.layout().block);
    if (&dx != &dy) dx.rewrite(kept.layout().block);
    const Passes& passes = passes_for(kept.layout());
    context_.run(passes.backward, {{from_output_ ? DNNL_ARG_DST : DNNL_ARG_SRC,
                                    context_.memory(passes.format, kept.data())},
                                   {DNNL_ARG_DIFF_DST, context_.memory(passes.format, dy.data())},
                                   {DNNL_ARG_DIFF_SRC, context_.memory(passes.format, dx.data())}});
  }

 private:
  struct Passes {
    dnnl::memory::desc format;
    Primitive forward;
    Primitive backward;
  };

  const Passes& passes_for(const StorageLayout& layout) {
    if (const auto found = passes_.find(layout.block); found != passes_.end()) return found->second;
    const dnnl::memory::desc format = describe(layout, rank_);
    const auto describe_pass = [&](algorithm which) {
      return describe_forward<dnnl::eltwise_forward>(context_, dnnl::prop_kind::forward_training,
                                                     which, format, function_.alpha);
    };
    const auto hint = describe_pass(function_.backward);
    const auto backward = describe_backward<dnnl::eltwise_backward>(
        context_, hint, function_.backward, format, format, function_.alpha);
    Passes made{format, Primitive(describe_pass(function_.forward)), Primitive(backward)};
    return passes_.emplace(layout.block, std::move(made)).first->second;
  }

  Context& context_;
  Function function_;
  bool from_output_;
  std::size_t rank_;
  std::map<std::int64_t, Passes> passes_;  ///< by block
};

}  // namespace

std::unique_ptr<Kernel> make_activation(Context& context, const LocalLayer& layer) {
  if (layer.layer->variant == "relu6") return make_relu6(context, layer);
  if (layer.layer->variant == "relu2") return make_squared_relu(context, layer);
  if (layer.layer->variant == "hardsigmoid") return make_hard_sigmoid(context, layer);
  if (layer.layer->variant == "linear") return make_linear(context, layer);
  return std::make_unique<Activation>(context, layer);
}

}  // namespace oracle
