// Group normalization: a sample's groups of channels over all its positions, in the format of the
// input. With x̂ = (x − μ)·i of a group of m values and channel sums S = Σ dy, T = Σ dy·x̂:
//   dx = i·(γ·dy − Σ γS/m − x̂·Σ γT/m),  dγ = Σ T,  dβ = Σ S over the samples
//                                                                      Wu & He, ECCV 2018
// Both passes are a·x + b per channel once sums over the positions are known.

#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/channel_sums.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// By sample, then by channel.
struct GroupNormSaved final : Saved {
  std::vector<float> mean, inverse;
};

/// Of one sample, by channel: y = first·x + second·other + constant.
struct Coefficients {
  explicit Coefficients(std::int64_t channels)
      : first(static_cast<std::size_t>(channels)), second(first), constant(first) {}
  std::vector<float> first, second, constant;
};

class GroupNorm final : public CpuKernel {
 public:
  GroupNorm(Context& context, const LocalLayer& layer)
      : context_(context),
        channels_(layer.output.channels),
        each_(layer.output.channels / layer.groups),
        values_(each_ * layer.output.depth * layer.output.height * layer.output.width),
        trained_(layer.layer->trainable()) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<GroupNormSaved>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    GroupNormSaved& saved = saved_of(call);
    if (&x != &y) y.rewrite(x.layout().block);
    const StorageLayout one = of_one_sample(x);
    saved.mean.resize(static_cast<std::size_t>(x.extents().samples * channels_));
    saved.inverse.resize(saved.mean.size());
    Coefficients coefficients(channels_);
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      const float* values = x.data() + n * one.stored();
      take_moments(sums_and_squares(one, values), saved, n);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const float factor = gamma(call, c) * inverse(saved, n)[c];
        coefficients.first[i] = factor;
        coefficients.constant[i] = beta(call, c) - factor * mean(saved, n)[c];
      }
      combine(one, values, values, coefficients.first.data(), coefficients.second.data(),
              coefficients.constant.data(), y.data() + n * one.stored());
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    x.convert(dy.layout().block);
    if (&dx != &dy) dx.rewrite(dy.layout().block);
    const GroupNormSaved& saved = saved_of(call);
    const StorageLayout one = of_one_sample(dy);
    Coefficients coefficients(channels_);
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      const std::int64_t at = n * one.stored();
      join_groups(call, gradient_sums(x, dy, saved, n), saved, n, coefficients);
      combine(one, dy.data() + at, x.data() + at, coefficients.first.data(),
              coefficients.second.data(), coefficients.constant.data(), dx.data() + at);
    }
  }

  void backward_weights(const Call& call) override {
    if (!trained_) return;
    CpuTensor& x = cpu(call.inputs[0]);
    const CpuTensor& dy = cpu(call.output_gradient);
    x.convert(dy.layout().block);
    std::vector<double> sums(static_cast<std::size_t>(2 * channels_));
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      const std::vector<float> own = gradient_sums(x, dy, saved_of(call), n);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += double{own[i]};
    }
    CpuWeights& weights = cpu(call.weights);
    const auto count = static_cast<std::size_t>(channels_);
    write_gradient(context_, weights, 0, std::span(sums).subspan(count, count));
    write_gradient(context_, weights, 1, std::span(sums).first(count));
  }

 private:
  static GroupNormSaved& saved_of(const Call& call) {
    auto* saved = dynamic_cast<GroupNormSaved*>(call.saved);
    ensure(saved != nullptr, "group norm runs without what its forward pass saved");
    return *saved;
  }

  static StorageLayout of_one_sample(const CpuTensor& tensor) {
    StorageLayout one = tensor.layout();
    one.extents.samples = 1;
    return one;
  }

  const float* mean(const GroupNormSaved& saved, std::int64_t sample) const {
    return saved.mean.data() + sample * channels_;
  }
  const float* inverse(const GroupNormSaved& saved, std::int64_t sample) const {
    return saved.inverse.data() + sample * channels_;
  }
  float gamma(const Call& call, std::int64_t channel) const {
    return trained_ ? cpu(call.weights).vector(0)[channel] : 1.0F;
  }
  float beta(const Call& call, std::int64_t channel) const {
    return trained_ ? cpu(call.weights).vector(1)[channel] : 0.0F;
  }

  /// `sums`: Σx of each channel, then Σx².
  void take_moments(const std::vector<float>& sums, GroupNormSaved& saved,
                    std::int64_t sample) const {
    const auto count = static_cast<double>(values_);
    for (std::int64_t begin = 0; begin < channels_; begin += each_) {
      double sum = 0, squares = 0;
      for (std::int64_t c = begin; c < begin + each_; ++c) {
        sum += double{sums[static_cast<std::size_t>(c)]};
        squares += double{sums[static_cast<std::size_t>(channels_ + c)]};
      }
      const double average = sum / count;
      const double variance = std::max(0.0, squares / count - average * average);
      for (std::int64_t c = begin; c < begin + each_; ++c) {
        const auto i = static_cast<std::size_t>(sample * channels_ + c);
        saved.mean[i] = static_cast<float>(average);
        saved.inverse[i] = static_cast<float>(1 / std::sqrt(variance + kNormEpsilon));
      }
    }
  }

  /// Σdy of each channel of a sample, then Σdy·x̂.
  std::vector<float> gradient_sums(const CpuTensor& x, const CpuTensor& dy,
                                   const GroupNormSaved& saved, std::int64_t sample) const {
    const StorageLayout one = of_one_sample(dy);
    const std::int64_t at = sample * one.stored();
    return sums_against_normalized(one, x.data() + at, dy.data() + at, mean(saved, sample),
                                   inverse(saved, sample));
  }

  void join_groups(const Call& call, const std::vector<float>& sums, const GroupNormSaved& saved,
                   std::int64_t sample, Coefficients& coefficients) const {
    const auto count = static_cast<double>(values_);
    for (std::int64_t begin = 0; begin < channels_; begin += each_) {
      double sum = 0, product = 0;
      for (std::int64_t c = begin; c < begin + each_; ++c) {
        const double factor = gamma(call, c);
        sum += factor * double{sums[static_cast<std::size_t>(c)]};
        product += factor * double{sums[static_cast<std::size_t>(channels_ + c)]};
      }
      const double average = mean(saved, sample)[begin], scale = inverse(saved, sample)[begin];
      const double of_x = -scale * scale * product / count;
      for (std::int64_t c = begin; c < begin + each_; ++c) {
        const auto i = static_cast<std::size_t>(c);
        coefficients.first[i] = static_cast<float>(scale * double{gamma(call, c)});
        coefficients.second[i] = static_cast<float>(of_x);
        coefficients.constant[i] = static_cast<float>(-scale * sum / count - of_x * average);
      }
    }
  }

  Context& context_;
  std::int64_t channels_, each_;  ///< channels of the piece, and of a group
  std::int64_t values_;           ///< of a group
  bool trained_;
};

}  // namespace

std::unique_ptr<Kernel> make_group_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<GroupNorm>(context, layer);
}

}  // namespace oracle
