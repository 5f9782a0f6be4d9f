// A sum or product with a trained tensor, y = x + w or y = x·w, w repeated to fit a sample (the
// kind says how). A tile of positions of a block is taken at a time: its parts of w are collected
// once and used for all samples, and the gradients of all samples added up there.

#include <algorithm>
#include <vector>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

/// Values of a tile, about; they stay in the first cache.
constexpr std::int64_t kTile = 1024;

ORACLE_VECTORIZED void shift(const float* x, const float* w, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] + w[i];
}

ORACLE_VECTORIZED void scale(const float* x, const float* w, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * w[i];
}

ORACLE_VECTORIZED void sum(const float* dy, float* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += dy[i];
}

ORACLE_VECTORIZED void sum_products(const float* dy, const float* x, float* sums,
                                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += dy[i] * x[i];
}

/// Which element of w goes with a channel and a position of this rank's piece.
class Places {
 public:
  explicit Places(const LocalLayer& local)
      : elements_(local.layer->weights.front().elements),
        channels_(local.layer->input.channels()),
        positions_(local.layer->input.positions()),
        first_channel_(local.place.channels) {
    const Extents& extents = local.output;
    const Extents& whole = local.whole;
    for (std::int64_t d = 0; d < extents.depth; ++d) {
      for (std::int64_t h = 0; h < extents.height; ++h) {
        for (std::int64_t w = 0; w < extents.width; ++w) {
          const std::int64_t row = (local.place.depth + d) * whole.height + local.place.height + h;
          position_.push_back(row * whole.width + local.position(w));
        }
      }
    }
  }

  /// Elements that this rank has.
  std::int64_t held(std::int64_t own_channels) const {
    return elements_ % channels_ == 0 ? elements_ / channels_ * own_channels : elements_;
  }

  std::int64_t operator()(std::int64_t channel, std::int64_t position) const {
    const std::int64_t of_network = position_[static_cast<std::size_t>(position)];
    if (elements_ % channels_ != 0) {
      return ((first_channel_ + channel) * positions_ + of_network) % elements_;
    }
    const std::int64_t each = elements_ / channels_;
    return channel * each + of_network % each;
  }

 private:
  std::int64_t elements_, channels_, positions_, first_channel_;
  std::vector<std::int64_t> position_;  ///< in the whole network's tensor, by that of the piece
};

class Affine final : public CpuKernel {
 public:
  Affine(Context& context, const LocalLayer& layer)
      : context_(context),
        places_(layer),
        scales_(layer.layer->variant == "scale"),
        held_(places_.held(layer.output.channels)) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.rewrite(x.layout().block);
    apply(call, x, y, scales_ ? scale : shift);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    if (!scales_) return dx.copy_of(dy);
    if (&dx != &dy) dx.rewrite(dy.layout().block);
    apply(call, dy, dx, scale);
  }

  void backward_weights(const Call& call) override {
    const CpuTensor& dy = cpu(call.output_gradient);
    if (scales_) cpu(call.inputs[0]).convert(dy.layout().block);
    const float* x = scales_ ? cpu(call.inputs[0]).data() : nullptr;
    sum_gradient(context_, cpu(call.weights), held_, [&](float* sums) {
      const StorageLayout& layout = dy.layout();
      std::vector<float> tile;
      for_each_tile(layout, [&](std::int64_t offset, std::int64_t channel, std::int64_t position,
                                std::int64_t count) {
        tile.assign(static_cast<std::size_t>(count), 0);
        for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
          const std::int64_t at = n * layout.sample_stride() + offset;
          scales_ ? sum_products(dy.data() + at, x + at, tile.data(), count)
                  : sum(dy.data() + at, tile.data(), count);
        }
        for_each_place(layout, channel, position, count,
                       [&](std::size_t i, std::int64_t place) { sums[place] += tile[i]; });
      });
    });
  }

 private:
  using Operation = void (*)(const float* x, const float* w, float* y, std::int64_t count);

  void apply(const Call& call, const CpuTensor& x, CpuTensor& y, Operation operation) const {
    const float* weight = cpu(call.weights).vector(0);
    const StorageLayout& layout = x.layout();
    std::vector<float> tile;
    for_each_tile(layout, [&](std::int64_t offset, std::int64_t channel, std::int64_t position,
                              std::int64_t count) {
      tile.assign(static_cast<std::size_t>(count), 0);
      for_each_place(layout, channel, position, count,
                     [&](std::size_t i, std::int64_t place) { tile[i] = weight[place]; });
      for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
        const std::int64_t at = n * layout.sample_stride() + offset;
        operation(x.data() + at, tile.data(), y.data() + at, count);
      }
    });
  }

  /// Calls visit(offset in a sample, first channel, first position, values).
  template <class Visit>
  static void for_each_tile(const StorageLayout& layout, Visit visit) {
    const std::int64_t positions = layout.positions();
    const std::int64_t most = std::max<std::int64_t>(1, kTile / layout.block);
    for (std::int64_t block = 0; block < layout.blocks(); ++block) {
      for (std::int64_t p = 0; p < positions; p += most) {
        const std::int64_t offset = (block * positions + p) * layout.block;
        visit(offset, block * layout.block, p, std::min(most, positions - p) * layout.block);
      }
    }
  }

  /// Calls visit(index in the tile, element of w) for its values that are no filling.
  template <class Visit>
  void for_each_place(const StorageLayout& layout, std::int64_t channel, std::int64_t position,
                      std::int64_t count, Visit visit) const {
    const std::int64_t lanes = std::min(layout.block, layout.extents.channels - channel);
    for (std::int64_t p = 0; p < count / layout.block; ++p) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        visit(static_cast<std::size_t>(p * layout.block + lane),
              places_(channel + lane, position + p));
      }
    }
  }

  Context& context_;
  Places places_;
  bool scales_;
  std::int64_t held_;
};

}  // namespace

std::unique_ptr<Kernel> make_affine(Context& context, const LocalLayer& layer) {
  return std::make_unique<Affine>(context, layer);
}

}  // namespace oracle
