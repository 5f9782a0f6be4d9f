// A product with a gate of one value for each position, which serves all channels: y[c, p] =
// x[c, p]·g[p]; dx = dy·g, dg[p] = Σ dy[c, p]·x[c, p] over the channels.

#include <vector>

#include "microbench/kernels/cpu/channel_values.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class PositionGate final : public CpuKernel {
 public:
  void forward(const Call& call) override {
    by_gate(cpu(call.inputs[0]), cpu(call.inputs[1]), cpu(call.output));
  }

  void backward_data(const Call& call) override {
    const CpuTensor &x = cpu(call.inputs[0]), &dy = cpu(call.output_gradient);
    if (call.input_gradients[1] != nullptr) sum_products(x, dy, cpu(call.input_gradients[1]));
    if (call.input_gradients[0] != nullptr) {
      by_gate(dy, cpu(call.inputs[1]), cpu(call.input_gradients[0]));
    }
  }

 private:
  static void by_gate(const CpuTensor& x, const CpuTensor& gate, CpuTensor& y) {
    y.rewrite(x.layout().block);
    if (x.layout().filled_up()) y.zero();
    for_each_channel(x, [&](std::int64_t n, std::int64_t c) {
      const ChannelValues from = channel_of(x, n, c), to = channel_of(y, n, c),
                          factor = channel_of(gate, n, 0);
      for (std::int64_t p = 0; p < x.layout().positions(); ++p)
        to.at(p) = from.at(p) * factor.at(p);
    });
  }

  static void sum_products(const CpuTensor& x, const CpuTensor& dy, CpuTensor& gradient) {
    const auto positions = static_cast<std::size_t>(x.layout().positions());
    std::vector<double> sums(static_cast<std::size_t>(x.extents().samples) * positions, 0);
    for_each_channel(x, [&](std::int64_t n, std::int64_t c) {
      const ChannelValues left = channel_of(x, n, c), right = channel_of(dy, n, c);
      double* sum = sums.data() + static_cast<std::size_t>(n) * positions;
      for (std::int64_t p = 0; p < x.layout().positions(); ++p) {
        sum[p] += double{left.at(p)} * double{right.at(p)};
      }
    });
    gradient.rewrite(1);
    for (std::size_t i = 0; i < sums.size(); ++i) gradient.data()[i] = static_cast<float>(sums[i]);
  }

  template <class Visit>
  static void for_each_channel(const CpuTensor& x, Visit visit) {
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      for (std::int64_t c = 0; c < x.extents().channels; ++c) visit(n, c);
    }
  }
};

}  // namespace

std::unique_ptr<Kernel> make_position_gate(Context&, const LocalLayer&) {
  return std::make_unique<PositionGate>();
}

}  // namespace oracle
