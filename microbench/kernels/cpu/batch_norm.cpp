// Batch normalization. Over this rank's own samples and positions it is oneDNN's. With statistics
// summed over ranks, forward is oneDNN's with a given mean and variance; backward is ours, since
// oneDNN's would take them as constants:
//   x̂ = (x − μ)/√(σ² + ε),  dx = γ/√(σ² + ε)·(dy − Σdy/m − x̂·Σdy·x̂/m),  dγ = Σdy·x̂,  dβ = Σdy
//                                                        Ioffe & Szegedy, ICML 2015, section 3
// with the biased variance σ² and m values per channel over all ranks. dγ and dβ are this rank's
// summands in either case: they are gradients like all others, and summed as those are.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "microbench/kernels/cpu/channel_sums.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using dnnl::memory;
using Flags = dnnl::normalization_flags;

/// PyTorch's; a layer keeps none.
constexpr float kEpsilon = 1e-5F;

struct BatchNormSaved final : Saved {
  explicit BatchNormSaved(std::vector<MemoryBlock> of) : blocks(std::move(of)) {}

  float* mean() const { return blocks[0].floats(); }
  float* variance() const { return blocks[1].floats(); }

  std::vector<MemoryBlock> blocks;
  std::vector<float> own_sums;  ///< this rank's Σdy and Σdy·x̂, once asked for
};

BatchNormSaved& saved_of(const Call& call) {
  auto* saved = dynamic_cast<BatchNormSaved*>(call.saved);
  ensure(saved != nullptr, "batch norm runs without what its forward pass saved");
  return *saved;
}

struct BoundNorm {
  Primitive primitive;
  memory::desc format;
};

class BatchNorm final : public CpuKernel {
 public:
  BatchNorm(Context& context, const LocalLayer& layer)
      : context_(context),
        channels_(layer.output.channels),
        rank_(rank_of(*layer.layer)),
        affine_(!layer.layer->weights.empty()),
        vector_({channels_}, memory::data_type::f32, memory::format_tag::a) {}

  std::unique_ptr<Saved> saved() const override {
    std::vector<MemoryBlock> blocks;
    for (int i = 0; i < 2; ++i) blocks.push_back(context_.allocator().allocate_floats(channels_));
    return std::make_unique<BatchNormSaved>(std::move(blocks));
  }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.rewrite(x.layout().block);
    BatchNormSaved& saved = saved_of(call);
    const bool given = call.statistics != nullptr;
    if (given) take_statistics(*call.statistics, saved);
    const auto [primitive, format] = forward_for(x.layout(), given);
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(format, x.data())},
                        {DNNL_ARG_DST, context_.memory(format, y.data())},
                        {DNNL_ARG_MEAN, context_.memory(vector_, saved.mean())},
                        {DNNL_ARG_VARIANCE, context_.memory(vector_, saved.variance())}};
    MemoryBlock none;
    if (affine_) {
      const CpuWeights& weights = cpu(call.weights);
      arguments.insert({DNNL_ARG_SCALE, weights.value(0, vector_, none)});
      arguments.insert({DNNL_ARG_SHIFT, weights.value(1, vector_, none)});
    }
    context_.run(primitive, std::move(arguments));
  }

  void backward_data(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(x.layout().block);
    std::optional<CpuTensor> unwanted;
    CpuTensor& dx = call.input_gradients[0] != nullptr ? cpu(call.input_gradients[0])
                                                       : unwanted.emplace(context_, x.extents());
    if (&dx != &dy) dx.rewrite(x.layout().block);
    if (call.statistics != nullptr) {
      backward_over_ranks(call, x, dy, dx);
    } else {
      backward_alone(call, x, dy, dx);
    }
  }

  std::vector<float> statistics(const Call& call, Pass pass) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    if (pass == Pass::forward) return sums_and_squares(x.layout(), x.data());
    BatchNormSaved& saved = saved_of(call);
    saved.own_sums = own_sums(call, saved);
    return saved.own_sums;
  }

 private:
  Flags flags(bool given) const {
    Flags flags = given ? Flags::use_global_stats : Flags::none;
    if (affine_) flags |= Flags::use_scale | Flags::use_shift;
    return flags;
  }

  dnnl::batch_normalization_forward::primitive_desc describe_pass(const memory::desc& format,
                                                                  bool given) const {
    return describe_forward<dnnl::batch_normalization_forward>(
        context_, dnnl::prop_kind::forward_training, format, kEpsilon, flags(given));
  }

  const BoundNorm& forward_for(const StorageLayout& layout, bool given) {
    const auto key = std::pair(layout.block, given);
    if (const auto found = forward_.find(key); found != forward_.end()) return found->second;
    const memory::desc format = describe(layout, rank_);
    return forward_.emplace(key, BoundNorm{Primitive(describe_pass(format, given)), format})
        .first->second;
  }

  const BoundNorm& backward_for(const StorageLayout& layout) {
    if (const auto found = backward_.find(layout.block); found != backward_.end()) {
      return found->second;
    }
    const memory::desc format = describe(layout, rank_);
    const auto kind = affine_ ? dnnl::prop_kind::backward : dnnl::prop_kind::backward_data;
    const auto pass = describe_backward<dnnl::batch_normalization_backward>(
        context_, describe_pass(format, false), kind, format, format, kEpsilon, flags(false));
    return backward_.emplace(layout.block, BoundNorm{Primitive(pass), format}).first->second;
  }

  void backward_alone(const Call& call, const CpuTensor& x, const CpuTensor& dy, CpuTensor& dx) {
    const auto& [primitive, format] = backward_for(x.layout());
    const BatchNormSaved& saved = saved_of(call);
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(format, x.data())},
                        {DNNL_ARG_DIFF_DST, context_.memory(format, dy.data())},
                        {DNNL_ARG_DIFF_SRC, context_.memory(format, dx.data())},
                        {DNNL_ARG_MEAN, context_.memory(vector_, saved.mean())},
                        {DNNL_ARG_VARIANCE, context_.memory(vector_, saved.variance())}};
    if (!affine_) {
      context_.run(primitive, std::move(arguments));
      return;
    }
    CpuWeights& weights = cpu(call.weights);
    MemoryBlock none;
    GradientWriter scale(context_, weights, 0, vector_);
    GradientWriter shift(context_, weights, 1, vector_);
    arguments.insert({DNNL_ARG_SCALE, weights.value(0, vector_, none)});
    // Not read, but oneDNN 2.6 counts it among its arguments.
    arguments.insert({DNNL_ARG_SHIFT, weights.value(1, vector_, none)});
    arguments.insert({DNNL_ARG_DIFF_SCALE, scale.memory()});
    arguments.insert({DNNL_ARG_DIFF_SHIFT, shift.memory()});
    context_.run(primitive, std::move(arguments));
    scale.commit();
    shift.commit();
  }

  static void take_statistics(const Statistics& statistics, const BatchNormSaved& saved) {
    const std::size_t channels = statistics.sums.size() / 2;
    for (std::size_t c = 0; c < channels; ++c) {
      const double mean = statistics.sums[c] / statistics.count;
      const double square = statistics.sums[channels + c] / statistics.count;
      saved.mean()[c] = static_cast<float>(mean);
      saved.variance()[c] = static_cast<float>(std::max(0.0, square - mean * mean));
    }
  }

  std::vector<float> inverse_deviation(const BatchNormSaved& saved) const {
    std::vector<float> inverse(static_cast<std::size_t>(channels_));
    for (std::size_t c = 0; c < inverse.size(); ++c) {
      inverse[c] = 1 / std::sqrt(saved.variance()[c] + kEpsilon);
    }
    return inverse;
  }

  std::vector<float> own_sums(const Call& call, const BatchNormSaved& saved) const {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(x.layout().block);
    return sums_against_normalized(x.layout(), x.data(), dy.data(), saved.mean(),
                                   inverse_deviation(saved).data());
  }

  void backward_over_ranks(const Call& call, const CpuTensor& x, const CpuTensor& dy,
                           CpuTensor& dx) {
    BatchNormSaved& saved = saved_of(call);
    if (affine_) write_gradients(call, saved);
    const std::vector<float> inverse = inverse_deviation(saved);
    const Statistics& sums = *call.statistics;
    const auto channels = static_cast<std::size_t>(channels_);
    const float* gamma = affine_ ? cpu(call.weights).vector(0) : nullptr;
    std::vector<float> of_dy(channels), of_x(channels), constant(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      const double scale = (gamma == nullptr ? 1.0 : gamma[c]) * double{inverse[c]};
      const double slope = -scale * inverse[c] * sums.sums[channels + c] / sums.count;
      of_dy[c] = static_cast<float>(scale);
      of_x[c] = static_cast<float>(slope);
      constant[c] =
          static_cast<float>(-scale * sums.sums[c] / sums.count - slope * saved.mean()[c]);
    }
    combine(x.layout(), dy.data(), x.data(), of_dy.data(), of_x.data(), constant.data(), dx.data());
  }

  void write_gradients(const Call& call, BatchNormSaved& saved) {
    if (saved.own_sums.empty()) saved.own_sums = own_sums(call, saved);
    const auto channels = static_cast<std::ptrdiff_t>(channels_);
    GradientWriter scale(context_, cpu(call.weights), 0, vector_);
    GradientWriter shift(context_, cpu(call.weights), 1, vector_);
    std::copy_n(saved.own_sums.begin(), channels, shift.data());
    std::copy_n(saved.own_sums.begin() + channels, channels, scale.data());
    scale.commit();
    shift.commit();
    saved.own_sums.clear();
  }

  Context& context_;
  std::int64_t channels_;
  std::size_t rank_;
  bool affine_;
  memory::desc vector_;
  std::map<std::pair<std::int64_t, bool>, BoundNorm> forward_;  ///< by block, statistics given
  std::map<std::int64_t, BoundNorm> backward_;                  ///< by block
};

}  // namespace

std::unique_ptr<Kernel> make_batch_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<BatchNorm>(context, layer);
}

}  // namespace oracle
