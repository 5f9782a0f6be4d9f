#include <cmath>

#include "tests/validate/plain/kernels.h"

namespace oracle::plain {
namespace {

constexpr double kEpsilon = 1e-5;

struct Moments : Saved {
  std::vector<double> mean, inverse;  ///< by channel or by position
};

float scale_of(const Call& call, std::int64_t c) {
  if (call.weights == nullptr) return 1;
  return static_cast<DenseWeights&>(*call.weights).values[0][static_cast<std::size_t>(c)];
}
float shift_of(const Call& call, std::int64_t c) {
  if (call.weights == nullptr) return 0;
  return static_cast<DenseWeights&>(*call.weights).values[1][static_cast<std::size_t>(c)];
}

class BatchNorm : public Plain {
 public:
  using Plain::Plain;
  std::unique_ptr<Saved> saved() const override { return std::make_unique<Moments>(); }

  std::vector<float> statistics(const Call& call, Pass pass) override {
    const std::vector<double> sums =
        pass == Pass::forward ? forward_sums(call) : backward_sums(call);
    return {sums.begin(), sums.end()};
  }

  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    auto& kept = static_cast<Moments&>(*call.saved);
    const auto channels = static_cast<std::size_t>(x.extents().channels);
    const auto [sums, count] = totals(call, Pass::forward);
    kept.mean.assign(channels, 0);
    kept.inverse.assign(channels, 0);
    for (std::size_t c = 0; c < channels; ++c) {
      kept.mean[c] = sums[c] / count;
      const double variance = sums[channels + c] / count - kept.mean[c] * kept.mean[c];
      kept.inverse[c] = 1 / std::sqrt(variance + kEpsilon);
    }
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const double hat = normal(kept, x.at(n, c, d, h, w), c);
      y.at(n, c, d, h, w) = static_cast<float>(scale_of(call, c) * hat + shift_of(call, c));
    });
  }

  void backward_data(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dy = dense(call.output_gradient);
    auto& kept = static_cast<Moments&>(*call.saved);
    const auto channels = static_cast<std::size_t>(x.extents().channels);
    if (call.weights != nullptr) {
      auto& weights = static_cast<DenseWeights&>(*call.weights);
      const std::vector<double> own = backward_sums(call);
      for (std::size_t c = 0; c < channels; ++c) {
        weights.gradients[1][c] += static_cast<float>(own[c]);
        weights.gradients[0][c] += static_cast<float>(own[channels + c]);
      }
    }
    if (call.input_gradients[0] == nullptr) return;
    DenseTensor& dx = dense(call.input_gradients[0]);
    const auto total = totals(call, Pass::backward_data);
    const auto& sums = std::get<0>(total);
    const double count = std::get<1>(total);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const auto i = static_cast<std::size_t>(c);
      const double hat = normal(kept, x.at(n, c, d, h, w), c);
      const double off = dy.at(n, c, d, h, w) - sums[i] / count - hat * sums[channels + i] / count;
      dx.at(n, c, d, h, w) = static_cast<float>(scale_of(call, c) * kept.inverse[i] * off);
    });
  }

 private:
  static double normal(const Moments& kept, float value, std::int64_t c) {
    const auto i = static_cast<std::size_t>(c);
    return (value - kept.mean[i]) * kept.inverse[i];
  }
  static std::vector<double> forward_sums(const Call& call) {
    DenseTensor& x = dense(call.inputs[0]);
    const auto channels = static_cast<std::size_t>(x.extents().channels);
    std::vector<double> sums(2 * channels, 0);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const double value = x.at(n, c, d, h, w);
      sums[static_cast<std::size_t>(c)] += value;
      sums[channels + static_cast<std::size_t>(c)] += value * value;
    });
    return sums;
  }
  static std::vector<double> backward_sums(const Call& call) {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dy = dense(call.output_gradient);
    auto& kept = static_cast<Moments&>(*call.saved);
    const auto channels = static_cast<std::size_t>(x.extents().channels);
    std::vector<double> sums(2 * channels, 0);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const double gradient = dy.at(n, c, d, h, w);
      sums[static_cast<std::size_t>(c)] += gradient;
      sums[channels + static_cast<std::size_t>(c)] +=
          gradient * normal(kept, x.at(n, c, d, h, w), c);
    });
    return sums;
  }
  static std::pair<std::vector<double>, double> totals(const Call& call, Pass pass) {
    if (call.statistics != nullptr) {
      return {{call.statistics->sums.begin(), call.statistics->sums.end()}, call.statistics->count};
    }
    const Extents& e = dense(call.inputs[0]).extents();
    return {pass == Pass::forward ? forward_sums(call) : backward_sums(call),
            static_cast<double>(e.elements() / e.channels)};
  }
};

class LayerNorm : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& y = dense(call.output);
    for_each_position(x, [&](auto n, auto d, auto h, auto w, double mean, double inverse) {
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        const double hat = (x.at(n, c, d, h, w) - mean) * inverse;
        y.at(n, c, d, h, w) = static_cast<float>(scale_of(call, c) * hat + shift_of(call, c));
      }
    });
  }
  void backward_data(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dy = dense(call.output_gradient);
    DenseTensor& dx = dense(call.input_gradients[0]);
    const auto channels = static_cast<double>(x.extents().channels);
    for_each_position(x, [&](auto n, auto d, auto h, auto w, double mean, double inverse) {
      double sum = 0, with_hat = 0;
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        const double hat = (x.at(n, c, d, h, w) - mean) * inverse;
        const double g = scale_of(call, c) * dy.at(n, c, d, h, w);
        sum += g;
        with_hat += g * hat;
      }
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        const double hat = (x.at(n, c, d, h, w) - mean) * inverse;
        const double g = scale_of(call, c) * dy.at(n, c, d, h, w);
        dx.at(n, c, d, h, w) =
            static_cast<float>(inverse * (g - sum / channels - hat * with_hat / channels));
      }
    });
  }
  void backward_weights(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& dy = dense(call.output_gradient);
    auto& weights = static_cast<DenseWeights&>(*call.weights);
    for_each_position(x, [&](auto n, auto d, auto h, auto w, double mean, double inverse) {
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const double hat = (x.at(n, c, d, h, w) - mean) * inverse;
        weights.gradients[0][i] += static_cast<float>(hat * dy.at(n, c, d, h, w));
        weights.gradients[1][i] += dy.at(n, c, d, h, w);
      }
    });
  }

 private:
  template <typename Visit>
  static void for_each_position(DenseTensor& x, Visit visit) {
    Extents positions = x.extents();
    positions.channels = 1;
    const auto channels = static_cast<double>(x.extents().channels);
    for_each(positions, [&](auto n, auto, auto d, auto h, auto w) {
      double sum = 0, squares = 0;
      for (std::int64_t c = 0; c < x.extents().channels; ++c) sum += x.at(n, c, d, h, w);
      for (std::int64_t c = 0; c < x.extents().channels; ++c) {
        squares += std::pow(x.at(n, c, d, h, w) - sum / channels, 2);
      }
      visit(n, d, h, w, sum / channels, 1 / std::sqrt(squares / channels + kEpsilon));
    });
  }
};

}  // namespace

std::unique_ptr<Kernel> normalization(const LocalLayer& local) {
  if (local.layer->batch_statistics) return std::make_unique<BatchNorm>(local);
  return std::make_unique<LayerNorm>(local);
}

}  // namespace oracle::plain
