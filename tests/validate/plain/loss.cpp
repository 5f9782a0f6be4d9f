#include <cmath>

#include "oracle/graph/kinds/kind.h"
#include "tests/validate/plain/kernels.h"

namespace oracle::plain {
namespace {

class SoftmaxLoss : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& losses = dense(call.output);
    zero(losses);
    for_each_position(call, [&](auto n, auto d, auto h, auto w, std::int64_t target, double total) {
      losses.values()[static_cast<std::size_t>(n)] +=
          static_cast<float>(std::log(total) - dense(call.inputs[0]).at(n, target, d, h, w));
    });
  }
  void backward_data(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dx = dense(call.input_gradients[0]);
    for_each_position(call, [&](auto n, auto d, auto h, auto w, std::int64_t target, double total) {
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        const double p = std::exp(x.at(n, c, d, h, w)) / total;
        dx.at(n, c, d, h, w) =
            static_cast<float>(call.gradient_scale * (p - (c == target ? 1 : 0)));
      }
    });
  }

 private:
  template <typename Visit>
  static void for_each_position(const Call& call, Visit visit) {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& targets = dense(call.inputs[1]);
    for_each(targets.extents(), [&](auto n, auto, auto d, auto h, auto w) {
      double total = 0;
      for (std::int64_t c = 0; c < x.extents().channels; ++c)
        total += std::exp(x.at(n, c, d, h, w));
      visit(n, d, h, w, static_cast<std::int64_t>(targets.at(n, 0, d, h, w)), total);
    });
  }
};

class SquaredLoss : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& losses = dense(call.output);
    DenseTensor& x = dense(call.inputs[0]);
    zero(losses);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const double off = x.at(n, c, d, h, w) - dense(call.inputs[1]).at(n, c, d, h, w);
      losses.values()[static_cast<std::size_t>(n)] += static_cast<float>(off * off / elements());
    });
  }
  void backward_data(const Call& call) override {
    const auto& x = dense(call.inputs[0]).values();
    const auto& targets = dense(call.inputs[1]).values();
    auto& dx = dense(call.input_gradients[0]).values();
    for (std::size_t i = 0; i < x.size(); ++i) {
      dx[i] = static_cast<float>(call.gradient_scale * 2 * (x[i] - targets[i]) / elements());
    }
  }

 private:
  double elements() const { return static_cast<double>(local_.layer->input.elements()); }
};

}  // namespace

std::unique_ptr<Kernel> loss(const LocalLayer& local) {
  if (local.layer->kind->name == "mean_squared_loss") {
    return std::make_unique<SquaredLoss>(local);
  }
  return std::make_unique<SoftmaxLoss>(local);
}

}  // namespace oracle::plain
