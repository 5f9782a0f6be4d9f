#include "validate/bench/alone.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/onednn.h"
#include "microbench/kernels/cpu/weight_format.h"
#include "oracle/base/error.h"
#include "validate/bench/processor_time.h"

namespace oracle {
namespace {

using dnnl::memory;

constexpr float kValue = 0.01F;

struct Operand {
  int argument;
  memory::desc format;
};

/// A pass described, with the operands that it reads and writes.
struct Prepared {
  Primitive primitive;
  std::vector<Operand> operands;
  std::string kernel;  ///< oneDNN's name of it
};

memory::desc any(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

bool biased(const LocalLayer& layer) { return layer.layer->weights.size() > 1; }

/// Descriptions of one layer's passes: `Forward` and its backwards take the same arguments after
/// the tensors' formats.
template <class Forward, class BackwardData, class BackwardWeights, class Describe>
Prepared prepared(const LocalLayer& layer, Pass pass, Describe describe_with) {
  const auto forward = [&] { return describe_with.template forward<Forward>(biased(layer)); };
  if (pass == Pass::forward) {
    const auto made = forward();
    Prepared result{Primitive(made),
                    {{DNNL_ARG_SRC, made.src_desc()},
                     {DNNL_ARG_WEIGHTS, made.weights_desc()},
                     {DNNL_ARG_DST, made.dst_desc()}},
                    made.impl_info_str()};
    if (biased(layer)) result.operands.push_back({DNNL_ARG_BIAS, made.bias_desc()});
    return result;
  }
  if (pass == Pass::backward_data) {
    const auto made = describe_with.template backward<BackwardData>(forward(), false);
    return {Primitive(made),
            {{DNNL_ARG_DIFF_SRC, made.diff_src_desc()},
             {DNNL_ARG_WEIGHTS, made.weights_desc()},
             {DNNL_ARG_DIFF_DST, made.diff_dst_desc()}},
            made.impl_info_str()};
  }
  const auto made = describe_with.template backward<BackwardWeights>(forward(), biased(layer));
  Prepared result{Primitive(made),
                  {{DNNL_ARG_SRC, made.src_desc()},
                   {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc()},
                   {DNNL_ARG_DIFF_DST, made.diff_dst_desc()}},
                  made.impl_info_str()};
  if (biased(layer)) result.operands.push_back({DNNL_ARG_DIFF_BIAS, made.diff_bias_desc()});
  return result;
}

struct Formats {
  memory::desc x, w, b, y;
};

class DescribeConvolution {
 public:
  /// Blocks of 0 are left to oneDNN.
  DescribeConvolution(const Context& context, const LocalLayer& layer, std::int64_t input_block,
                      std::int64_t output_block)
      : context_(context) {
    const std::size_t rank = rank_of(*layer.layer);
    const auto format = [&](const Extents& extents, std::int64_t block) {
      return block == 0 ? describe_any(extents, rank)
                        : describe(StorageLayout{extents, block}, rank);
    };
    formats_ = {format(layer.inputs[0], input_block), any(weight_dims(layer)),
                any({layer.output.channels}), format(layer.output, output_block)};
    for (std::size_t axis = 3 - rank; axis < 3; ++axis) {
      stride_.push_back(layer.window.stride[axis]);
      dilation_.push_back(layer.window.dilation[axis] - 1);
      before_.push_back(layer.window.pad_before[axis]);
      after_.push_back(layer.window.pad_after[axis]);
    }
  }

  template <class Forward>
  typename Forward::primitive_desc forward(bool with_bias) const {
    const auto& [x, w, b, y] = formats_;
    const auto kind = dnnl::prop_kind::forward_training;
    if (with_bias) {
      return describe_forward<Forward>(context_, kind, kAlgorithm, x, w, b, y, stride_, dilation_,
                                       before_, after_);
    }
    return describe_forward<Forward>(context_, kind, kAlgorithm, x, w, y, stride_, dilation_,
                                     before_, after_);
  }

  template <class Backward, class Hint>
  typename Backward::primitive_desc backward(const Hint& hint, bool with_bias) const {
    const auto& [x, w, b, y] = formats_;
    if constexpr (std::is_same_v<Backward, dnnl::convolution_backward_weights>) {
      if (with_bias) {
        return describe_backward<Backward>(context_, hint, kAlgorithm, x, w, b, y, stride_,
                                           dilation_, before_, after_);
      }
    }
    return describe_backward<Backward>(context_, hint, kAlgorithm, x, w, y, stride_, dilation_,
                                       before_, after_);
  }

 private:
  static constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
  const Context& context_;
  Formats formats_;
  memory::dims stride_, dilation_, before_, after_;
};

class DescribeDense {
 public:
  DescribeDense(const Context& context, const LocalLayer& layer) : context_(context) {
    formats_ = {any({layer.inputs[0].samples, layer.inputs[0].channels}), any(weight_dims(layer)),
                any({layer.output.channels}), any({layer.output.samples, layer.output.channels})};
  }

  template <class Forward>
  typename Forward::primitive_desc forward(bool with_bias) const {
    const auto& [x, w, b, y] = formats_;
    const auto kind = dnnl::prop_kind::forward_training;
    if (with_bias) return describe_forward<Forward>(context_, kind, x, w, b, y);
    return describe_forward<Forward>(context_, kind, x, w, y);
  }

  template <class Backward, class Hint>
  typename Backward::primitive_desc backward(const Hint& hint, bool with_bias) const {
    const auto& [x, w, b, y] = formats_;
    if constexpr (std::is_same_v<Backward, dnnl::inner_product_backward_weights>) {
      if (with_bias) return describe_backward<Backward>(context_, hint, x, w, b, y);
    }
    return describe_backward<Backward>(context_, hint, x, w, y);
  }

 private:
  const Context& context_;
  Formats formats_;
};

Prepared prepare(const Context& context, const LocalLayer& layer, Pass pass,
                 std::int64_t input_block = 0, std::int64_t output_block = 0) {
  if (is_matrix_product(layer)) {
    return prepared<dnnl::inner_product_forward, dnnl::inner_product_backward_data,
                    dnnl::inner_product_backward_weights>(layer, pass,
                                                          DescribeDense(context, layer));
  }
  return prepared<dnnl::convolution_forward, dnnl::convolution_backward_data,
                  dnnl::convolution_backward_weights>(
      layer, pass, DescribeConvolution(context, layer, input_block, output_block));
}

}  // namespace

bool can_run_alone(const LocalLayer& layer) {
  return layer.layer->has_filters() && !layer.layer->transposed;
}

std::string shape_of(const LocalLayer& layer, Pass pass) {
  std::string text(name_of(pass));
  const auto add = [&](std::int64_t number) { text += ' ' + std::to_string(number); };
  for (const Extents& e : {layer.inputs[0], layer.output}) {
    for (const std::int64_t extent : {e.samples, e.channels, e.depth, e.height, e.width}) {
      add(extent);
    }
  }
  const Window& window = layer.window;
  for (const auto& along :
       {window.kernel, window.stride, window.dilation, window.pad_before, window.pad_after}) {
    for (const std::int64_t number : along) add(number);
  }
  add(layer.groups);
  add(biased(layer) ? 1 : 0);
  add(is_matrix_product(layer) ? 1 : 0);
  return text;
}

class Alone::Impl {
 public:
  double best_seconds(const LocalLayer& layer, Pass pass, int repeats) {
    ensure(can_run_alone(layer), "only convolutions and dense layers run alone");
    return best_of(prepared_for(layer, pass), repeats);
  }

  double best_seconds_in(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                         std::int64_t output_block, int repeats) {
    return best_of(prepare(context_, layer, pass, input_block, output_block), repeats);
  }

  bool has_kernel(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                  std::int64_t output_block) const {
    try {
      return prepare(context_, layer, pass, input_block, output_block).kernel.rfind("ref", 0) != 0;
    } catch (const dnnl::error&) {
      return false;
    }
  }

 private:
  double best_of(const Prepared& work, int repeats) {
    std::vector<MemoryBlock> blocks;
    Arguments arguments;
    for (const Operand& operand : work.operands) {
      const auto bytes = static_cast<std::int64_t>(operand.format.get_size());
      const MemoryBlock& block = blocks.emplace_back(context_.allocator().allocate(bytes));
      std::fill_n(block.floats(), bytes / std::int64_t{sizeof(float)}, kValue);
      arguments.insert({operand.argument, context_.memory(operand.format, block.data())});
    }
    context_.run(work.primitive, arguments);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) {
      const double start = processor_seconds();
      context_.run(work.primitive, arguments);
      best = std::min(best, processor_seconds() - start);
    }
    return best;
  }

  const Prepared& prepared_for(const LocalLayer& layer, Pass pass) {
    const std::string shape = shape_of(layer, pass);
    const auto found = prepared_.find(shape);
    if (found != prepared_.end()) return found->second;
    return prepared_.emplace(shape, prepare(context_, layer, pass)).first->second;
  }

  Context context_{1};
  std::map<std::string, Prepared> prepared_;
};

Alone::Alone() : impl_(std::make_unique<Impl>()) {}
Alone::~Alone() = default;
double Alone::best_seconds(const LocalLayer& layer, Pass pass, int repeats) {
  return impl_->best_seconds(layer, pass, repeats);
}
double Alone::best_seconds_in(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                              std::int64_t output_block, int repeats) {
  return impl_->best_seconds_in(layer, pass, input_block, output_block, repeats);
}
bool Alone::has_kernel(const LocalLayer& layer, Pass pass, std::int64_t input_block,
                       std::int64_t output_block) const {
  return impl_->has_kernel(layer, pass, input_block, output_block);
}

}  // namespace oracle
