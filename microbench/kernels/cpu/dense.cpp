// A matrix product: oneDNN's, over plain activations and weights in the blocks it prefers, which
// are the same in all three passes. Over positions a dense layer is a convolution with a window of
// one.

#include <optional>
#include <string_view>
#include <type_traits>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/fused.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "microbench/kernels/cpu/weight_format.h"

namespace oracle {
namespace {

using dnnl::memory;

memory::desc plain(const memory::dims& dims) {
  const auto tag = dims.size() == 1 ? memory::format_tag::a : memory::format_tag::ab;
  return {dims, memory::data_type::f32, tag};
}

struct BoundDense {
  Primitive primitive;
  memory::desc weight;
};

class Dense final : public CpuKernel {
 public:
  Dense(Context& context, const LocalLayer& layer)
      : context_(context),
        x_(plain({layer.inputs[0].samples, layer.inputs[0].channels})),
        y_(plain({layer.output.samples, layer.output.channels})),
        bias_(plain({layer.output.channels})),
        weight_(weight_dims(layer), memory::data_type::f32, memory::format_tag::any),
        biased_(layer.layer->weights.size() > 1),
        forward_attributes_(forward_attributes(layer)) {}

  void forward(const Call& call) override {
    if (!forward_) {
      const auto pass = describe_pass(forward_attributes_);
      forward_ = BoundDense{Primitive(pass), pass.weights_desc()};
    }
    CpuWeights& weights = cpu(call.weights);
    weights.adopt(0, forward_->weight);
    cpu(call.output).rewrite(1);
    MemoryBlock copy;
    MemoryBlock bias;
    Arguments arguments{{DNNL_ARG_SRC, read(call.inputs[0], x_)},
                        {DNNL_ARG_WEIGHTS, weights.value(0, forward_->weight, copy)},
                        {DNNL_ARG_DST, context_.memory(y_, cpu(call.output).data())}};
    if (biased_) arguments.insert({DNNL_ARG_BIAS, weights.value(1, bias_, bias)});
    context_.run(forward_->primitive, std::move(arguments));
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    if (!backward_data_) backward_data_ = bind_backward_data();
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dx.rewrite(1);
    MemoryBlock copy;
    context_.run(backward_data_->primitive,
                 {{DNNL_ARG_DIFF_DST, read(call.output_gradient, y_)},
                  {DNNL_ARG_WEIGHTS, cpu(call.weights).value(0, backward_data_->weight, copy)},
                  {DNNL_ARG_DIFF_SRC, context_.memory(x_, dx.data())}});
  }

  void backward_weights(const Call& call) override {
    if (!backward_weights_) backward_weights_ = bind_backward_weights();
    CpuWeights& weights = cpu(call.weights);
    weights.adopt(0, backward_weights_->weight);
    GradientWriter weight(context_, weights, 0, backward_weights_->weight);
    Arguments arguments{{DNNL_ARG_SRC, read(call.inputs[0], x_)},
                        {DNNL_ARG_DIFF_DST, read(call.output_gradient, y_)},
                        {DNNL_ARG_DIFF_WEIGHTS, weight.memory()}};
    std::optional<GradientWriter> bias;
    if (biased_) {
      bias.emplace(context_, weights, 1, bias_);
      arguments.insert({DNNL_ARG_DIFF_BIAS, bias->memory()});
    }
    context_.run(backward_weights_->primitive, std::move(arguments));
    weight.commit();
    if (bias) bias->commit();
  }

 private:
  dnnl::inner_product_forward::primitive_desc describe_pass(
      const dnnl::primitive_attr& attributes) const {
    const auto kind = dnnl::prop_kind::forward_training;
    if (biased_) {
      return describe_forward_as<dnnl::inner_product_forward>(context_, attributes, kind, x_,
                                                              weight_, bias_, y_);
    }
    return describe_forward_as<dnnl::inner_product_forward>(context_, attributes, kind, x_, weight_,
                                                            y_);
  }

  /// What backward passes are told of forward: the product alone.
  dnnl::inner_product_forward::primitive_desc hint() const {
    return describe_pass(context_.attributes());
  }

  BoundDense bind_backward_data() const {
    const auto pass = as_kept(
        [&](const memory::desc& weight) {
          return describe_backward<dnnl::inner_product_backward_data>(context_, hint(), x_, weight,
                                                                      y_);
        },
        [](const auto& described) { return described.weights_desc(); });
    return {Primitive(pass), pass.weights_desc()};
  }

  BoundDense bind_backward_weights() const {
    const auto describe_with = [&](const memory::desc& weight, const auto&... bias) {
      return describe_backward<dnnl::inner_product_backward_weights>(context_, hint(), x_, weight,
                                                                     bias..., y_);
    };
    const auto pass = as_kept(
        [&](const memory::desc& weight) {
          return biased_ ? describe_with(weight, bias_) : describe_with(weight);
        },
        [](const auto& described) { return described.diff_weights_desc(); });
    return {Primitive(pass), pass.diff_weights_desc()};
  }

  /// A pass over weights as forward keeps them, where the library runs the same kernel on them as
  /// on those of its choice. Without AVX-512 it names another order for each pass of one kernel,
  /// and turning a weight round takes longer than the product.
  template <typename Describe, typename Weight>
  std::invoke_result_t<Describe, const memory::desc&> as_kept(Describe describe_it,
                                                              Weight weight_of) const {
    auto chosen = describe_it(weight_);
    if (!forward_ || weight_of(chosen) == forward_->weight) return chosen;
    try {
      auto kept = describe_it(forward_->weight);
      if (std::string_view(kept.impl_info_str()) == chosen.impl_info_str()) return kept;
    } catch (const dnnl::error&) {
    }
    return chosen;
  }

  memory read(Tensor* tensor, const memory::desc& format) const {
    cpu(tensor).convert(1);
    return context_.memory(format, cpu(tensor).data());
  }

  Context& context_;
  memory::desc x_, y_, bias_, weight_;
  bool biased_;
  dnnl::primitive_attr forward_attributes_;
  std::optional<BoundDense> forward_, backward_data_, backward_weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_dense(Context& context, const LocalLayer& layer) {
  if (!is_matrix_product(layer)) return make_convolution(context, layer);
  return std::make_unique<Dense>(context, layer);
}

}  // namespace oracle
