// Convolutions and transposed ones, of 1 to 3 axes, grouped, strided, dilated: oneDNN's, each in
// the formats that it prefers. Forward and backward weights agree on the weights' format; backward
// data wants them with input and output channels exchanged, and reorders them.

#include <optional>
#include <string>

#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/fused.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "microbench/kernels/cpu/weight_format.h"
#include "microbench/kernels/cpu/windowed.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using dnnl::memory;

struct Direct {
  using Forward = dnnl::convolution_forward;
  using BackwardData = dnnl::convolution_backward_data;
  using BackwardWeights = dnnl::convolution_backward_weights;
  static constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
};

struct Transposed {
  using Forward = dnnl::deconvolution_forward;
  using BackwardData = dnnl::deconvolution_backward_data;
  using BackwardWeights = dnnl::deconvolution_backward_weights;
  static constexpr auto kAlgorithm = dnnl::algorithm::deconvolution_direct;
};

/// A pass ready to run, and the formats of its operands.
struct BoundConvolution {
  Primitive primitive;
  std::int64_t input_block = 1;
  std::int64_t output_block = 1;
  memory::desc input, output, weight;
  std::string implementation{};  ///< as oneDNN names it
};

/// Formats that a pass is asked for: oneDNN's own choice, channels innermost, plain.
enum class Wish : std::uint8_t { any, channels_last, plain };

/// Whether a pass has no code of its own, and unfolds its input for a matrix product, or loops.
bool makes_do(const BoundConvolution& bound) {
  const auto says = [&](const char* word) {
    return bound.implementation.find(word) != std::string::npos;
  };
  return says("gemm") || says("ref");
}

template <class Flavor>
class Convolution final : public CpuKernel {
 public:
  Convolution(Context& context, const LocalLayer& layer)
      : context_(context),
        layer_(layer),
        rank_(rank_of(*layer.layer)),
        sliding_(layer.layer->transposed ? slide_over(layer, layer.output, layer.inputs[0])
                                         : slide_over(layer, layer.inputs[0], layer.output)),
        input_(layer.layer->transposed ? layer.inputs[0] : sliding_.part.size),
        output_(layer.output),
        biased_(layer.layer->weights.size() > 1) {
    if (layer.layer->transposed && !sliding_.whole) {
      throw InputError(layer.layer->name,
                       "a piece of this transposed convolution has outputs that no input reaches",
                       "shard it along another axis, or into fewer shards");
    }
    // What oneDNN refuses, it refuses here and not in the middle of a step.
    static_cast<void>(hint());
  }

  void forward(const Call& call) override {
    if (!forward_) forward_ = bind_forward();
    CpuWeights& weights = cpu(call.weights);
    weights.adopt(0, forward_->weight);
    std::unique_ptr<CpuTensor> part;
    CpuTensor& x =
        part_to_read(context_, sliding_, cpu(call.inputs[0]), forward_->input_block, part);
    CpuTensor& y = cpu(call.output);
    y.rewrite(forward_->output_block);
    MemoryBlock copy;
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(forward_->input, x.data())},
                        {DNNL_ARG_WEIGHTS, weights.value(0, forward_->weight, copy)},
                        {DNNL_ARG_DST, context_.memory(forward_->output, y.data())}};
    MemoryBlock bias;
    if (biased_) arguments.insert({DNNL_ARG_BIAS, weights.value(1, vector_of_filters(), bias)});
    context_.run(forward_->primitive, std::move(arguments));
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    if (!backward_data_) backward_data_ = bind_backward_data();
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(backward_data_->output_block);
    CpuTensor& whole = cpu(call.input_gradients[0]);
    std::unique_ptr<CpuTensor> part;
    CpuTensor& dx = part_to_write(context_, sliding_, whole, backward_data_->input_block, part);
    MemoryBlock copy;
    context_.run(backward_data_->primitive,
                 {{DNNL_ARG_DIFF_DST, context_.memory(backward_data_->output, dy.data())},
                  {DNNL_ARG_WEIGHTS, cpu(call.weights).value(0, backward_data_->weight, copy)},
                  {DNNL_ARG_DIFF_SRC, context_.memory(backward_data_->input, dx.data())}});
    put_back(sliding_, whole, part);
  }

  void backward_weights(const Call& call) override {
    if (!backward_weights_) backward_weights_ = bind_backward_weights();
    std::unique_ptr<CpuTensor> part;
    CpuTensor& x =
        part_to_read(context_, sliding_, cpu(call.inputs[0]), backward_weights_->input_block, part);
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(backward_weights_->output_block);
    CpuWeights& weights = cpu(call.weights);
    weights.adopt(0, backward_weights_->weight);
    GradientWriter weight(context_, weights, 0, backward_weights_->weight);
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(backward_weights_->input, x.data())},
                        {DNNL_ARG_DIFF_DST, context_.memory(backward_weights_->output, dy.data())},
                        {DNNL_ARG_DIFF_WEIGHTS, weight.memory()}};
    std::optional<GradientWriter> bias;
    if (biased_) {
      bias.emplace(context_, weights, 1, vector_of_filters());
      arguments.insert({DNNL_ARG_DIFF_BIAS, bias->memory()});
    }
    context_.run(backward_weights_->primitive, std::move(arguments));
    weight.commit();
    if (bias) bias->commit();
  }

 private:
  using ForwardDescription = typename Flavor::Forward::primitive_desc;

  memory::desc vector_of_filters() const {
    return {{output_.channels}, memory::data_type::f32, memory::format_tag::a};
  }
  memory::desc any_weight() const {
    return {weight_dims(layer_), memory::data_type::f32, memory::format_tag::any};
  }

  ForwardDescription describe_pass(const memory::desc& x, const memory::desc& y,
                                   const dnnl::primitive_attr& attributes) const {
    const auto kind = dnnl::prop_kind::forward_training;
    const Sliding& s = sliding_;
    if (biased_) {
      return describe_forward_as<typename Flavor::Forward>(
          context_, attributes, kind, Flavor::kAlgorithm, x, any_weight(), vector_of_filters(), y,
          s.stride, s.dilation, s.pad_before, s.pad_after);
    }
    return describe_forward_as<typename Flavor::Forward>(
        context_, attributes, kind, Flavor::kAlgorithm, x, any_weight(), y, s.stride, s.dilation,
        s.pad_before, s.pad_after);
  }

  /// What backward passes are told of forward: the convolution alone.
  ForwardDescription hint() const {
    return describe_pass(describe_any(input_, rank_), describe_any(output_, rank_),
                         context_.attributes());
  }

  memory::desc described(Wish wish, const Extents& extents) const {
    if (wish == Wish::any) return describe_any(extents, rank_);
    if (wish == Wish::channels_last) return describe_channels_last(extents, rank_);
    return describe(StorageLayout{extents, 1}, rank_);
  }

  /// Nothing where oneDNN's formats are no layout.
  template <class Describe>
  std::optional<BoundConvolution> bind_as(Describe describe_it, Wish wish) const {
    BoundConvolution bound = describe_it(described(wish, input_), described(wish, output_));
    const auto input = layout_of(bound.input, input_, rank_);
    const auto output = layout_of(bound.output, output_, rank_);
    if (!input || !output) return std::nullopt;
    bound.input_block = input->block;
    bound.output_block = output->block;
    return bound;
  }

  /// Nothing where oneDNN has no such pass, too: it is one way of several.
  template <class Describe>
  std::optional<BoundConvolution> bind_channels_last(Describe describe_it) const {
    try {
      return bind_as(describe_it, Wish::channels_last);
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented) throw;
      return std::nullopt;
    }
  }

  /// In oneDNN's own choice of formats; where it makes do in those, with channels innermost if that
  /// has code of its own: four times as fast backward weights of 4 channels over a volume. With
  /// plain ones should its choice be no layout.
  template <class Describe>
  BoundConvolution bind(Describe describe_it) const {
    const std::optional<BoundConvolution> chosen = bind_as(describe_it, Wish::any);
    // Of many small groups that code fills up each one's block with zeros.
    if (chosen && makes_do(*chosen) && layer_.groups == 1) {
      const std::optional<BoundConvolution> last = bind_channels_last(describe_it);
      if (last && !makes_do(*last)) return *last;
    }
    if (chosen) return *chosen;
    if (const std::optional<BoundConvolution> plain = bind_as(describe_it, Wish::plain))
      return *plain;
    throw Defect("oneDNN takes no plain tensors");
  }

  BoundConvolution bind_forward() const {
    return bind([&](const memory::desc& x, const memory::desc& y) {
      const auto pass = describe_pass(x, y, forward_attributes(layer_));
      return BoundConvolution{
          Primitive(pass),     1, 1, pass.src_desc(), pass.dst_desc(), pass.weights_desc(),
          pass.impl_info_str()};
    });
  }

  BoundConvolution bind_backward_data() const {
    return bind([&](const memory::desc& x, const memory::desc& y) {
      const Sliding& s = sliding_;
      const auto pass = describe_backward<typename Flavor::BackwardData>(
          context_, hint(), Flavor::kAlgorithm, x, any_weight(), y, s.stride, s.dilation,
          s.pad_before, s.pad_after);
      return BoundConvolution{Primitive(pass),
                              1,
                              1,
                              pass.diff_src_desc(),
                              pass.diff_dst_desc(),
                              pass.weights_desc(),
                              pass.impl_info_str()};
    });
  }

  BoundConvolution bind_backward_weights() const {
    return bind([&](const memory::desc& x, const memory::desc& y) {
      const Sliding& s = sliding_;
      const auto describe_with = [&](const auto&... bias) {
        return describe_backward<typename Flavor::BackwardWeights>(
            context_, hint(), Flavor::kAlgorithm, x, any_weight(), bias..., y, s.stride, s.dilation,
            s.pad_before, s.pad_after);
      };
      const auto pass = biased_ ? describe_with(vector_of_filters()) : describe_with();
      return BoundConvolution{Primitive(pass),
                              1,
                              1,
                              pass.src_desc(),
                              pass.diff_dst_desc(),
                              pass.diff_weights_desc(),
                              pass.impl_info_str()};
    });
  }

  Context& context_;
  LocalLayer layer_;
  std::size_t rank_;
  Sliding sliding_;
  Extents input_;  ///< what oneDNN sees of the input
  Extents output_;
  bool biased_;
  std::optional<BoundConvolution> forward_, backward_data_, backward_weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_convolution(Context& context, const LocalLayer& layer) {
  if (layer.layer->transposed) return std::make_unique<Convolution<Transposed>>(context, layer);
  return std::make_unique<Convolution<Direct>>(context, layer);
}

}  // namespace oracle
