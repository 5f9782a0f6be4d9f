// A part of a tensor, in the block of its input where the part's channels begin and end with one,
// else in plain order. The gradient is zero where nothing was taken.

#include <cstring>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class Slice final : public CpuKernel {
 public:
  Slice(Context& context, const LocalLayer& layer)
      : block_(CpuTensor::first_block(context, layer.inputs[0])) {
    const auto& begin = layer.layer->begin;
    // Along an axis that is cut the part is all of it, and begins at 0.
    begin_.channels = begin[static_cast<std::size_t>(Axis::channel)];
    begin_.depth = begin[static_cast<std::size_t>(Axis::depth)];
    begin_.height = begin[static_cast<std::size_t>(Axis::height)];
    begin_.width = begin[static_cast<std::size_t>(Axis::width)];
  }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    block_ = x.layout().block;
    y.rewrite(part_block(x.extents(), y.extents()));
    for_each_row(x.layout(), part_layout(x.extents(), y.extents()),
                 [&](std::int64_t in_whole, std::int64_t in_part, std::int64_t count) {
                   std::memcpy(y.data() + in_part, x.data() + in_whole,
                               static_cast<std::size_t>(count) * sizeof(float));
                 });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dx.release();
    dy.convert(part_block(dx.extents(), dy.extents()));
    dx.rewrite(block_);
    dx.zero();
    for_each_row(StorageLayout{dx.extents(), block_}, part_layout(dx.extents(), dy.extents()),
                 [&](std::int64_t in_whole, std::int64_t in_part, std::int64_t count) {
                   std::memcpy(dx.data() + in_whole, dy.data() + in_part,
                               static_cast<std::size_t>(count) * sizeof(float));
                 });
  }

 private:
  std::int64_t part_block(const Extents& whole, const Extents& part) const {
    const bool all = part.channels == whole.channels;
    const bool blocks = begin_.channels % block_ == 0 && part.channels % block_ == 0;
    return all || blocks ? block_ : 1;
  }
  StorageLayout part_layout(const Extents& whole, const Extents& part) const {
    return {part, part_block(whole, part)};
  }

  /// Calls move(offset in the whole, offset in the part, values) for what lies side by side in
  /// both.
  template <class Move>
  void for_each_row(const StorageLayout& whole, const StorageLayout& part, Move move) const {
    const Extents& e = part.extents;
    const bool together = whole.block == part.block;
    for (std::int64_t n = 0; n < e.samples; ++n) {
      for (std::int64_t c = 0; c < e.channels; c += part.block) {
        for (std::int64_t d = 0; d < e.depth; ++d) {
          for (std::int64_t h = 0; h < e.height; ++h) {
            const std::int64_t to = part.offset(n, c, (d * e.height + h) * e.width);
            const std::int64_t from = whole.offset(n, begin_.channels + c, place(whole, d, h));
            if (together) {
              move(from, to, e.width * part.block);
              continue;
            }
            for (std::int64_t w = 0; w < e.width; ++w) move(from + w * whole.block, to + w, 1);
          }
        }
      }
    }
  }

  std::int64_t place(const StorageLayout& whole, std::int64_t d, std::int64_t h) const {
    const Extents& e = whole.extents;
    return ((begin_.depth + d) * e.height + begin_.height + h) * e.width + begin_.width;
  }

  Extents begin_{0, 0, 0, 0, 0};
  std::int64_t block_;  ///< of the input in the last forward pass
};

}  // namespace

std::unique_ptr<Kernel> make_slice(Context& context, const LocalLayer& layer) {
  return std::make_unique<Slice>(context, layer);
}

}  // namespace oracle
