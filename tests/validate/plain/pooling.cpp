#include <limits>

#include "tests/validate/plain/kernels.h"

namespace oracle::plain {
namespace {

class MaxPool : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    for_each(y.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      float most = -std::numeric_limits<float>::infinity();
      for_each_tap(local_.window, x.extents(), d, h, w, [&](auto i, auto j, auto k, auto) {
        most = std::max(most, x.at(n, c, i, j, k));
      });
      y.at(n, c, d, h, w) = most;
    });
  }
  void backward_data(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    DenseTensor& dy = dense(call.output_gradient);
    DenseTensor& dx = dense(call.input_gradients[0]);
    zero(dx);
    for_each(y.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      bool found = false;
      for_each_tap(local_.window, x.extents(), d, h, w, [&](auto i, auto j, auto k, auto) {
        if (found || x.at(n, c, i, j, k) != y.at(n, c, d, h, w)) return;
        found = true;
        dx.at(n, c, i, j, k) += dy.at(n, c, d, h, w);
      });
    });
  }
};

/// Padding does not count.
class AveragePool : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    for_each(y.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      double sum = 0;
      const double count =
          taps(x.extents(), d, h, w, [&](auto i, auto j, auto k) { sum += x.at(n, c, i, j, k); });
      y.at(n, c, d, h, w) = static_cast<float>(sum / count);
    });
  }
  void backward_data(const Call& call) override {
    DenseTensor& dy = dense(call.output_gradient);
    DenseTensor& dx = dense(call.input_gradients[0]);
    zero(dx);
    for_each(dy.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const double count = taps(dx.extents(), d, h, w, [](auto, auto, auto) {});
      taps(dx.extents(), d, h, w, [&](auto i, auto j, auto k) {
        dx.at(n, c, i, j, k) += static_cast<float>(dy.at(n, c, d, h, w) / count);
      });
    });
  }

 private:
  template <typename Visit>
  double taps(const Extents& x, std::int64_t d, std::int64_t h, std::int64_t w, Visit visit) const {
    double count = 0;
    for_each_tap(local_.window, x, d, h, w, [&](auto i, auto j, auto k, auto) {
      visit(i, j, k);
      ++count;
    });
    if (local_.layer->reach != Reach::global) return count;
    return static_cast<double>(local_.layer->window.volume());
  }
};

}  // namespace

std::unique_ptr<Kernel> pooling(const LocalLayer& local) {
  if (local.layer->variant == "max") return std::make_unique<MaxPool>(local);
  return std::make_unique<AveragePool>(local);
}

}  // namespace oracle::plain
