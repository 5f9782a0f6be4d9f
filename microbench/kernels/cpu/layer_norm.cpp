// Layer normalization over the channels of each position, in the format of the input:
//   x̂ = (x − μ)/√(σ² + ε),  y = γ·x̂ + β;  with g = γ·dy:
//   dx = (g − mean(g) − x̂·mean(g·x̂))/√(σ² + ε),  dγ = Σ dy·x̂,  dβ = Σ dy
//                                                            Ba, Kiros & Hinton, arXiv 1607.06450

#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/position_rows.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

struct LayerNormSaved final : Saved {
  std::vector<float> mean, inverse;  ///< of each sample and position
};

class LayerNorm final : public CpuKernel {
 public:
  LayerNorm(Context& context, const LocalLayer& layer)
      : context_(context), channels_(layer.output.channels) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<LayerNormSaved>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    const StorageLayout layout = in_rows(x.layout());
    LayerNormSaved& saved = saved_of(call);
    saved.mean.resize(static_cast<std::size_t>(layout.extents.samples * layout.positions()));
    saved.inverse.resize(saved.mean.size());
    if (&x != &y) y.rewrite(x.layout().block);
    Row mean, inverse, gamma, beta;
    for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
      take_moments(x, n, saved);
      spread_saved(layout, saved, n, mean, inverse);
      for (std::int64_t b = 0; b < layout.blocks(); ++b) {
        spread_channels(layout, b, cpu(call.weights).vector(0), gamma);
        spread_channels(layout, b, cpu(call.weights).vector(1), beta);
        const std::int64_t at = row_offset(layout, n, b);
        normalize(x.data() + at, {mean, inverse}, gamma, beta, y.data() + at);
      }
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    const StorageLayout layout = in_rows(x.layout());
    dy.convert(x.layout().block);
    if (&dx != &dy) dx.rewrite(x.layout().block);
    const float* weights = cpu(call.weights).vector(0);
    Row mean, inverse, gamma, sum, product;
    for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
      spread_saved(layout, saved_of(call), n, mean, inverse);
      RowSums sums(mean.size()), products(mean.size());
      for (std::int64_t b = 0; b < layout.blocks(); ++b) {
        spread_channels(layout, b, weights, gamma);
        const std::int64_t at = row_offset(layout, n, b);
        add_gradients(x.data() + at, dy.data() + at, gamma, {mean, inverse}, sums, products);
      }
      spread_positions(layout, means(fold_lanes(layout, sums)).data(), sum);
      spread_positions(layout, means(fold_lanes(layout, products)).data(), product);
      for (std::int64_t b = 0; b < layout.blocks(); ++b) {
        spread_channels(layout, b, weights, gamma);
        const std::int64_t at = row_offset(layout, n, b);
        through_norm(x.data() + at, dy.data() + at, {mean, inverse}, gamma, sum, product,
                     dx.data() + at);
        clear_filling(layout, b, dx.data() + at);
      }
    }
  }

  void backward_weights(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    const StorageLayout layout = in_rows(x.layout());
    dy.convert(x.layout().block);
    const auto channels = static_cast<std::size_t>(layout.blocks() * layout.block);
    std::vector<double> scale(channels), shift(channels);
    const Row ones(static_cast<std::size_t>(row_length(layout)), 1.0F);
    Row mean, inverse;
    RowSums sums(ones.size()), products(ones.size());
    for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
      spread_saved(layout, saved_of(call), n, mean, inverse);
      for (std::int64_t b = 0; b < layout.blocks(); ++b) {
        std::fill(sums.begin(), sums.end(), 0);
        std::fill(products.begin(), products.end(), 0);
        const std::int64_t at = row_offset(layout, n, b);
        add_gradients(x.data() + at, dy.data() + at, ones, {mean, inverse}, sums, products);
        add_to(shift.data() + b * layout.block, fold_positions(layout, sums));
        add_to(scale.data() + b * layout.block, fold_positions(layout, products));
      }
    }
    write_gradient(context_, cpu(call.weights), 0, scale);
    write_gradient(context_, cpu(call.weights), 1, shift);
  }

 private:
  static LayerNormSaved& saved_of(const Call& call) {
    auto* saved = dynamic_cast<LayerNormSaved*>(call.saved);
    ensure(saved != nullptr, "layer norm runs without what its forward pass saved");
    return *saved;
  }

  static void spread_saved(const StorageLayout& layout, const LayerNormSaved& saved,
                           std::int64_t sample, Row& mean, Row& inverse) {
    spread_positions(layout, saved.mean.data() + sample * layout.positions(), mean);
    spread_positions(layout, saved.inverse.data() + sample * layout.positions(), inverse);
  }

  static void add_to(double* to, const std::vector<double>& values) {
    for (const double value : values) *to++ += value;
  }

  /// Of sums over the channels.
  std::vector<float> means(const std::vector<double>& sums) const {
    std::vector<float> result;
    for (const double sum : sums) {
      result.push_back(static_cast<float>(sum / static_cast<double>(channels_)));
    }
    return result;
  }

  void take_moments(const CpuTensor& x, std::int64_t sample, LayerNormSaved& saved) const {
    const StorageLayout layout = in_rows(x.layout());
    float* mean = saved.mean.data() + sample * layout.positions();
    float* inverse = saved.inverse.data() + sample * layout.positions();
    RowSums sums(static_cast<std::size_t>(row_length(layout)));
    for (std::int64_t b = 0; b < layout.blocks(); ++b) {
      add_values(x.data() + row_offset(layout, sample, b), sums);
    }
    for (const float one : means(fold_lanes(layout, sums))) *mean++ = one;
    Row centre;
    spread_positions(layout, mean - layout.positions(), centre);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::int64_t b = 0; b < layout.blocks(); ++b) {
      // What fills up a block is zero, and its distance from zero too.
      clear_filling(layout, b, centre.data());
      add_squares(x.data() + row_offset(layout, sample, b), centre, sums);
    }
    for (const float variance : means(fold_lanes(layout, sums))) {
      *inverse++ = static_cast<float>(1 / std::sqrt(double{variance} + kNormEpsilon));
    }
  }

  Context& context_;
  std::int64_t channels_;
};

}  // namespace

std::unique_ptr<Kernel> make_layer_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<LayerNorm>(context, layer);
}

}  // namespace oracle
