// Resampling to other extents, one axis after the other being a sum of at most two positions of the
// input, in its format: y = Σ weight·x over 2 or, of three linear axes, 8 of them. The gradient
// goes back along the same weights.

#include <array>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/resampling.h"

namespace oracle {
namespace {

/// to[o] += share · (what `read` says of the row), in blocks of `block` values.
ORACLE_VECTORIZED void add_row(const float* from, const Read* reads, std::int64_t count,
                               std::int64_t block, float share, float* to) {
  for (std::int64_t o = 0; o < count; ++o) {
    const float* first = from + reads[o].first * block;
    const float* second = from + reads[o].second * block;
    const float a = share * reads[o].of_first, b = share * reads[o].of_second;
    for (std::int64_t i = 0; i < block; ++i) to[o * block + i] += a * first[i] + b * second[i];
  }
}

/// The way back: from[…] += share · to[o].
ORACLE_VECTORIZED void return_row(float* from, const Read* reads, std::int64_t count,
                                  std::int64_t block, float share, const float* to) {
  for (std::int64_t o = 0; o < count; ++o) {
    float* first = from + reads[o].first * block;
    float* second = from + reads[o].second * block;
    const float a = share * reads[o].of_first, b = share * reads[o].of_second;
    for (std::int64_t i = 0; i < block; ++i) first[i] += a * to[o * block + i];
    for (std::int64_t i = 0; i < block; ++i) second[i] += b * to[o * block + i];
  }
}

class Resize final : public CpuKernel {
 public:
  explicit Resize(const LocalLayer& layer) : in_(layer.inputs[0]), out_(layer.output) {
    const std::array in = {in_.depth, in_.height, in_.width};
    const std::array out = {out_.depth, out_.height, out_.width};
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
      reads_[axis] = reads_along(layer, axis, in[axis], out[axis]);
    }
  }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    const std::int64_t block = x.layout().block;
    y.rewrite(block);
    y.zero();
    for_each_row(block, [&](std::int64_t in, std::int64_t out, float share) {
      add_row(x.data() + in, reads_[2].data(), out_.width, block, share, y.data() + out);
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    const std::int64_t block = dy.layout().block;
    dx.rewrite(block);
    dx.zero();
    for_each_row(block, [&](std::int64_t in, std::int64_t out, float share) {
      return_row(dx.data() + in, reads_[2].data(), out_.width, block, share, dy.data() + out);
    });
  }

 private:
  /// Calls visit(offset of a row in the input, in the output, share) for all that meet.
  template <class Visit>
  void for_each_row(std::int64_t block, Visit visit) const {
    const StorageLayout in{in_, block}, out{out_, block};
    for (std::int64_t n = 0; n < out_.samples; ++n) {
      for (std::int64_t c = 0; c < out_.channels; c += block) {
        for (std::int64_t d = 0; d < out_.depth; ++d) {
          for (std::int64_t h = 0; h < out_.height; ++h) {
            const std::int64_t to = out.offset(n, c, (d * out_.height + h) * out_.width);
            visit_rows(reads_[0][static_cast<std::size_t>(d)],
                       reads_[1][static_cast<std::size_t>(h)], [&](std::int64_t row, float share) {
                         visit(in.offset(n, c, row * in_.width), to, share);
                       });
          }
        }
      }
    }
  }

  template <class Visit>
  void visit_rows(const Read& d, const Read& h, Visit visit) const {
    const auto row = [&](std::int64_t depth, std::int64_t height, float share) {
      if (share != 0) visit(depth * in_.height + height, share);
    };
    row(d.first, h.first, d.of_first * h.of_first);
    row(d.first, h.second, d.of_first * h.of_second);
    row(d.second, h.first, d.of_second * h.of_first);
    row(d.second, h.second, d.of_second * h.of_second);
  }

  Extents in_, out_;
  std::array<Reads, 3> reads_;
};

}  // namespace

std::unique_ptr<Kernel> make_resize(Context& context, const LocalLayer& layer) {
  if (layer.layer->in_place) return make_view(context, layer);
  return std::make_unique<Resize>(layer);
}

}  // namespace oracle
