// Joins tensors along the channels, in the block of the first. Where the channels fill their blocks
// each piece is one copy per sample; where they do not, values move one by one.

#include <cstring>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

/// Copies all channels of a piece from or to the channels from `begin` on of the joined tensor.
/// `move(joined value, piece value, count)`.
template <class Move>
void pair_up(const StorageLayout& joined, std::int64_t begin, const StorageLayout& piece,
             Move move) {
  const std::int64_t positions = piece.positions();
  const bool whole_blocks =
      joined.block == piece.block && begin % piece.block == 0 && !piece.filled_up();
  for (std::int64_t n = 0; n < piece.extents.samples; ++n) {
    if (whole_blocks) {
      move(joined.offset(n, begin, 0), piece.offset(n, 0, 0), piece.sample_stride());
      continue;
    }
    for (std::int64_t c = 0; c < piece.extents.channels; ++c) {
      for (std::int64_t p = 0; p < positions; ++p) {
        move(joined.offset(n, begin + c, p), piece.offset(n, c, p), 1);
      }
    }
  }
}

void copy_floats(float* to, const float* from, std::int64_t count) {
  if (count == 1) {
    *to = *from;
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

class Concat final : public CpuKernel {
 public:
  Concat(Context& context, const LocalLayer& layer) {
    for (const Extents& input : layer.inputs) {
      blocks_.push_back(CpuTensor::first_block(context, input));
      channels_.push_back(input.channels);
    }
  }

  void forward(const Call& call) override {
    CpuTensor& y = cpu(call.output);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = cpu(call.inputs[i]).layout().block;
    }
    y.rewrite(blocks_[0]);
    if (y.layout().filled_up()) y.zero();
    std::int64_t begin = 0;
    for (Tensor* input : call.inputs) {
      const CpuTensor& piece = cpu(input);
      pair_up(y.layout(), begin, piece.layout(),
              [&](std::int64_t joined, std::int64_t own, std::int64_t count) {
                copy_floats(y.data() + joined, piece.data() + own, count);
              });
      begin += piece.extents().channels;
    }
  }

  void backward_data(const Call& call) override {
    const CpuTensor& dy = cpu(call.output_gradient);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < call.input_gradients.size(); ++i) {
      if (call.input_gradients[i] != nullptr) {
        CpuTensor& piece = cpu(call.input_gradients[i]);
        piece.rewrite(blocks_[i]);
        if (piece.layout().filled_up()) piece.zero();
        pair_up(dy.layout(), begin, piece.layout(),
                [&](std::int64_t joined, std::int64_t own, std::int64_t count) {
                  copy_floats(piece.data() + own, dy.data() + joined, count);
                });
      }
      begin += channels_[i];
    }
  }

 private:
  std::vector<std::int64_t> blocks_;    ///< of the inputs in the last forward pass
  std::vector<std::int64_t> channels_;  ///< of the inputs
};

}  // namespace

std::unique_ptr<Kernel> make_concat(Context& context, const LocalLayer& layer) {
  return std::make_unique<Concat>(context, layer);
}

}  // namespace oracle
