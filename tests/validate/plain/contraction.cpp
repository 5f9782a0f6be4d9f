#include "tests/validate/plain/kernels.h"

namespace oracle::plain {
namespace {

/// y[f, o] = b[f] + Σ w[f, c, k]·x[c, o·s + k·d − pad]; transposed, x and y change places.
class Contraction : public Plain {
 public:
  using Plain::Plain;

  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    auto& w = static_cast<DenseWeights&>(*call.weights);
    std::vector<double> sums(y.values().size(), 0);
    for_each_product(x, y, [&](float& in, std::size_t out, std::size_t weight) {
      sums[out] += static_cast<double>(in) * w.values[0][weight];
    });
    const std::int64_t plane = y.extents().depth * y.extents().height * y.extents().width;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto f =
          static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % y.extents().channels);
      y.values()[i] = static_cast<float>(sums[i] + (w.values.size() > 1 ? w.values[1][f] : 0));
    }
  }

  void backward_data(const Call& call) override {
    DenseTensor& dx = dense(call.input_gradients[0]);
    DenseTensor& dy = dense(call.output_gradient);
    auto& w = static_cast<DenseWeights&>(*call.weights);
    zero(dx);
    for_each_product(dx, dy, [&](float& in, std::size_t out, std::size_t weight) {
      in += dy.values()[out] * w.values[0][weight];
    });
  }

  void backward_weights(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dy = dense(call.output_gradient);
    auto& w = static_cast<DenseWeights&>(*call.weights);
    std::vector<double> sums(w.gradients[0].size(), 0);
    for_each_product(x, dy, [&](float& in, std::size_t out, std::size_t weight) {
      sums[weight] += static_cast<double>(in) * dy.values()[out];
    });
    for (std::size_t i = 0; i < sums.size(); ++i) w.gradients[0][i] += static_cast<float>(sums[i]);
    if (w.gradients.size() < 2) return;
    for_each(dy.extents(), [&](auto n, auto c, auto d, auto h, auto v) {
      w.gradients[1][static_cast<std::size_t>(c)] += dy.at(n, c, d, h, v);
    });
  }

 private:
  template <typename Visit>
  void for_each_product(DenseTensor& x, DenseTensor& y, Visit visit) const {
    const bool swapped = local_.layer->transposed;
    DenseTensor& wide = swapped ? y : x;
    DenseTensor& narrow = swapped ? x : y;
    const std::int64_t wides = wide.extents().channels / local_.groups;
    const std::int64_t narrows = narrow.extents().channels / local_.groups;
    const std::int64_t volume = local_.window.volume();
    for_each(narrow.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      for_each_tap(local_.window, wide.extents(), d, h, w, [&](auto i, auto j, auto k, auto tap) {
        const std::int64_t group = c / narrows;
        for (std::int64_t other = 0; other < wides; ++other) {
          const auto weight = static_cast<std::size_t>((c * wides + other) * volume + tap);
          float& a = wide.at(n, group * wides + other, i, j, k);
          float& b = narrow.at(n, c, d, h, w);
          float& in = swapped ? b : a;
          float& out = swapped ? a : b;
          visit(in, static_cast<std::size_t>(&out - y.values().data()), weight);
        }
      });
    });
  }
};

}  // namespace

std::unique_ptr<Kernel> contraction(const LocalLayer& local) {
  return std::make_unique<Contraction>(local);
}

}  // namespace oracle::plain
