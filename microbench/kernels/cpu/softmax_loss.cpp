// Cross entropy of a softmax over the channels, at each position, summed over a sample's positions:
//   L = Σ_p log Σ_c exp(x[c, p] − m[p]) + m[p] − x[t[p], p],   m[p] the largest score
//   dx = (softmax(x) − 1_t)·gradient_scale
// in double precision, since a loss is read and compared, and is small beside all else.

#include <algorithm>
#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/class_at.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

/// One position's scores.
struct Scores {
  std::vector<double> exponentials;
  double largest = 0;
  double sum = 0;

  void read(const float* x, const StorageLayout& layout, std::int64_t sample,
            std::int64_t position) {
    const std::int64_t classes = layout.extents.channels;
    exponentials.resize(static_cast<std::size_t>(classes));
    for (std::int64_t c = 0; c < classes; ++c) {
      exponentials[static_cast<std::size_t>(c)] = double{x[layout.offset(sample, c, position)]};
    }
    largest = *std::max_element(exponentials.begin(), exponentials.end());
    sum = 0;
    for (double& score : exponentials) sum += score = std::exp(score - largest);
  }
};

class SoftmaxLoss final : public CpuKernel {
 public:
  explicit SoftmaxLoss(const LocalLayer& layer) : layer_(layer.layer) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    const CpuTensor& targets = cpu(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(1);
    Scores scores;
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      double loss = 0;
      for (std::int64_t p = 0; p < x.layout().positions(); ++p) {
        scores.read(x.data(), x.layout(), n, p);
        const double score =
            double{x.data()[x.layout().offset(n, class_at(targets, n, p, *layer_), p)]};
        loss += std::log(scores.sum) + scores.largest - score;
      }
      y.data()[n] = static_cast<float>(loss);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    const CpuTensor& targets = cpu(call.inputs[1]);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    const StorageLayout layout = x.layout();
    if (&dx != &x) dx.rewrite(layout.block);
    if (&dx != &x && layout.filled_up()) dx.zero();
    Scores scores;
    for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
      for (std::int64_t p = 0; p < layout.positions(); ++p) {
        scores.read(x.data(), layout, n, p);
        const std::int64_t wanted = class_at(targets, n, p, *layer_);
        for (std::int64_t c = 0; c < layout.extents.channels; ++c) {
          const double share = scores.exponentials[static_cast<std::size_t>(c)] / scores.sum;
          dx.data()[layout.offset(n, c, p)] =
              static_cast<float>((share - (c == wanted ? 1 : 0)) * call.gradient_scale);
        }
      }
    }
  }

 private:
  const Layer* layer_;
};

}  // namespace

std::unique_ptr<Kernel> make_softmax_loss(Context& context, const LocalLayer& layer) {
  const bool part = layer.rows > 0 && layer.rows < layer.layer->input.channels();
  if (part) return make_softmax_loss_part(context, layer);
  return std::make_unique<SoftmaxLoss>(layer);
}

}  // namespace oracle
