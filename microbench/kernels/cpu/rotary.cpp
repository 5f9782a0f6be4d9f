// Rotary embedding: of each head the first channels, i and i + d/2 as a pair, are turned by the
// position times θ^(−2i/d); backward turns the gradient back. Halves are paired as in the released
// Llama code, which pairs neighbours of another order of the weights.

#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class Rotary final : public CpuKernel {
 public:
  explicit Rotary(const LocalLayer& layer) {
    const Layer& whole = *layer.layer;
    head_ = whole.input.channels() / whole.groups;
    turned_ = whole.heads.turned;
    positions_ = layer.output.width;
    const auto half = static_cast<std::size_t>(turned_ / 2);
    const auto count = static_cast<std::size_t>(positions_);
    cosines_.resize(half * count);
    sines_.resize(half * count);
    for (std::size_t i = 0; i < half; ++i) {
      const double frequency = std::pow(static_cast<double>(whole.heads.base),
                                        -2 * static_cast<double>(i) / static_cast<double>(turned_));
      for (std::size_t p = 0; p < count; ++p) {
        const auto position = layer.position(static_cast<std::int64_t>(p));
        const double angle = static_cast<double>(position) * frequency;
        cosines_[i * count + p] = static_cast<float>(std::cos(angle));
        sines_[i * count + p] = static_cast<float>(std::sin(angle));
      }
    }
  }

  void forward(const Call& call) override { turn(cpu(call.inputs[0]), cpu(call.output), 1); }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    turn(cpu(call.output_gradient), cpu(call.input_gradients[0]), -1);
  }

 private:
  void turn(CpuTensor& x, CpuTensor& y, float direction) const {
    x.convert(1);
    if (&x != &y) y.copy_of(x);
    const std::int64_t heads = x.extents().samples * x.extents().channels / head_;
    const std::int64_t half = turned_ / 2;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < half; ++i) {
        float* first = y.data() + (h * head_ + i) * positions_;
        float* second = first + half * positions_;
        const float* cosine = cosines_.data() + i * positions_;
        const float* sine = sines_.data() + i * positions_;
        for (std::int64_t p = 0; p < positions_; ++p) {
          const float a = first[p], b = second[p], s = direction * sine[p];
          first[p] = a * cosine[p] - b * s;
          second[p] = b * cosine[p] + a * s;
        }
      }
    }
  }

  std::int64_t head_ = 0, turned_ = 0, positions_ = 0;
  std::vector<float> cosines_, sines_;  ///< by pair, then position
};

}  // namespace

std::unique_ptr<Kernel> make_rotary(Context&, const LocalLayer& layer) {
  return std::make_unique<Rotary>(layer);
}

}  // namespace oracle
