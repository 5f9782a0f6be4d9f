// Activations that are a line between two bounds: y = min(max(a·x + b, 0), top), dx = a·dy where it
// rises. oneDNN 2.x has no hardsigmoid, and nothing but reference code for relu6 backward.

#include <algorithm>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

struct Line {
  float slope;
  float offset;
  float top;
};

constexpr Line kRelu6{1, 0, 6};
constexpr Line kHardSigmoid{1.0F / 6, 0.5F, 1};

ORACLE_VECTORIZED void clip(const float* x, float* y, std::int64_t count, Line line) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = std::min(std::max(x[i] * line.slope + line.offset, 0.0F), line.top);
  }
}

/// dx = dy·slope where what was kept lies between the two, else 0.
ORACLE_VECTORIZED void pass_between(const float* kept, const float* dy, float* dx,
                                    std::int64_t count, float low, float high, float slope) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool rising = kept[i] > low && kept[i] < high;
    dx[i] = rising ? dy[i] * slope : 0.0F;
  }
}

class Clipped final : public CpuKernel {
 public:
  Clipped(Line line, bool from_output) : line_(line), from_output_(from_output) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.rewrite(x.layout().block);
    const bool zero_stays = line_.offset == 0;
    if (zero_stays || !x.layout().filled_up()) {
      clip(x.data(), y.data(), x.layout().stored(), line_);
      return;
    }
    if (&x != &y) y.zero();
    for_each_run(x.layout(),
                 [&](std::int64_t offset, std::int64_t count, std::int64_t, std::int64_t,
                     std::int64_t) { clip(x.data() + offset, y.data() + offset, count, line_); });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& kept = cpu(from_output_ ? call.output : call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(kept.layout().block);
    if (&dx != &dy) dx.rewrite(kept.layout().block);
    const float low = from_output_ ? 0 : -line_.offset / line_.slope;
    const float high = from_output_ ? line_.top : (line_.top - line_.offset) / line_.slope;
    pass_between(kept.data(), dy.data(), dx.data(), kept.layout().stored(), low, high, line_.slope);
  }

 private:
  Line line_;
  bool from_output_;
};

}  // namespace

std::unique_ptr<Kernel> make_relu6(Context&, const LocalLayer& layer) {
  return std::make_unique<Clipped>(kRelu6, layer.layer->keeps_output);
}

std::unique_ptr<Kernel> make_hard_sigmoid(Context&, const LocalLayer& layer) {
  return std::make_unique<Clipped>(kHardSigmoid, layer.layer->keeps_output);
}

}  // namespace oracle
