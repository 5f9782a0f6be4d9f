#pragma once
// How does one rank run one layer of the network?
//
// A kernel is a layer on one rank's piece, bound to extents once and called every step. Whoever
// calls it decides where tensors come from: kernels know no ranks, no cuts and no plan. What
// several micro-batches in flight must keep apart (the maximum's place in a pooling window, a
// batch's statistics) stands in Saved; what they share (weights) in Weights.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "microbench/kernels/tensor.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// Of `samples` of a shape. Kernels know three axes of positions; a text lies along the last.
inline Extents extents_of(const Shape& shape, std::int64_t samples) {
  return {samples, shape.channels(), shape[Axis::depth], shape[Axis::height],
          shape[Axis::width] * shape[Axis::sequence]};
}

/// A layer as one rank runs it.
struct LocalLayer {
  const Layer* layer =
      nullptr;                  ///< kind, variant, spatial rank; its shapes are the whole network's
  std::vector<Extents> inputs;  ///< as this rank reads them, halos included
  Extents output;
  /// Kernel, stride and dilation are the layer's; padding is what this piece needs on either side:
  /// the layer's at the network's edges, none where a halo lies. Input beyond the last window is
  /// not read.
  Window window;
  std::int64_t groups = 1;
  /// Of a table that is looked up its rows, of experts their matrices, of the loss of a text its
  /// classes: which of all are here.
  std::int64_t first_row = 0, rows = 0;
  /// Where `output` lies in the whole mini-batch's output, and how large that is: random numbers
  /// (dropout) are drawn by global index, so that no cut changes them.
  Extents place{0, 0, 0, 0, 0};
  Extents whole;
  /// Where each position along the width of `output` lies; empty: in a row from place.width on.
  std::vector<std::int64_t> positions{};
  /// The layer behind it, where forward is to leave what that one makes: y = f(layer(x)). All other
  /// passes are of `layer` alone, but where `then_backward` holds: they take the gradient of y.
  /// Back ends say which they can (Backend::fuses).
  const Layer* then = nullptr;
  bool then_backward = false;

  /// Of a position along the width of `output`, its place in the whole.
  std::int64_t position(std::int64_t width) const {
    return positions.empty() ? place.width + width : positions[static_cast<std::size_t>(width)];
  }
};

/// What an optimizer keeps of past gradients: their decayed sum or mean, and that of their squares.
enum class Moment : std::uint8_t { first, second };

/// The trainable tensors of a layer on one rank, with their gradients and the optimizer's state.
/// Values and state are fp32; gradients, and the copy of the values that passes read, are of the
/// back end's element type.
class Weights {
 public:
  virtual ~Weights() = default;
  /// Elements of parameter `index` (as in Layer::weights) on this rank.
  virtual std::int64_t elements(std::size_t index) const = 0;
  /// Dense copies in fp32, in the back end's memory or the host's, in the parameter's own order:
  /// convolution and dense weight F, C/groups, D, H, W (transposed convolution C, F/groups, D, H,
  /// W); all others by feature.
  virtual void read(std::size_t index, void* to) const = 0;
  virtual void write(std::size_t index, const void* from) = 0;
  virtual void read_gradient(std::size_t index, void* to) const = 0;
  virtual void write_gradient(std::size_t index, const void* from) = 0;
  /// Of the optimizer's state; zeros where no update has made it yet. Written, it is there.
  virtual void read_moment(std::size_t index, Moment moment, void* to) const = 0;
  virtual void write_moment(std::size_t index, Moment moment, const void* from) = 0;
  /// The same in the back end's element type: what ranks exchange. As they stand, for fp32.
  virtual void pack_gradient(std::size_t index, void* to) const { read_gradient(index, to); }
  virtual void unpack_gradient(std::size_t index, const void* from) { write_gradient(index, from); }
  /// Calls `visit` for what would be packed, piece by piece, where it lies if that is possible; or
  /// `fill` for where it is to be unpacked to. For back ends that keep state in shards, in fp32.
  virtual void visit_gradient(std::size_t index,
                              const std::function<void(std::span<const float>)>& visit) const {
    std::vector<float> packed(static_cast<std::size_t>(elements(index)));
    pack_gradient(index, packed.data());
    visit(packed);
  }
  virtual void fill_gradient(std::size_t index, const std::function<void(std::span<float>)>& fill) {
    std::vector<float> packed(static_cast<std::size_t>(elements(index)));
    fill(packed);
    unpack_gradient(index, packed.data());
  }
  /// Names the order in which a gradient is kept; empty for the parameter's own. It is known once
  /// all passes ran.
  virtual std::string kept_order(std::size_t /*index*/) const { return {}; }
  /// From now on gradients are packed and unpacked in the order they are kept in: for ranks that
  /// know of one another that it is the same.
  virtual void pack_as_kept() {}
  /// Gradients of the next backward_weights replace what is there; later ones add to it.
  virtual void begin_step() = 0;
  /// Gives back the memory of all values, or gradients, until they are written again. For back ends
  /// that keep state in shards.
  virtual void drop_values() {}
  virtual void drop_gradients() {}
};

/// What a forward pass leaves to its backward beside tensors; one per micro-batch in flight.
class Saved {
 public:
  virtual ~Saved() = default;
};

/// Numbers of several ranks, in the host's fp32. Of a batch norm sums: forward Σx, Σx²; backward
/// Σdy, Σdy·x̂; `channels` of each. Of a loss over a vocabulary in parts, for each sample and
/// position: the largest score m; then Σ exp(x − m); then the target's score. Each needs those
/// before it.
struct Statistics {
  std::vector<float> sums;
  double count = 0;  ///< of a batch norm: values per channel over all ranks
};

/// The operands of one call; a pass reads and writes those it needs. Where Layer::in_place holds,
/// the output may be the tensor of the first input, and an input gradient of its extents that of
/// the output gradient.
struct Call {
  std::span<Tensor* const> inputs;
  Tensor* output = nullptr;
  Tensor* output_gradient = nullptr;
  std::span<Tensor* const> input_gradients;  ///< null where none is to be made
  Weights* weights = nullptr;
  Saved* saved = nullptr;
  const Statistics* statistics = nullptr;  ///< null: the kernel takes its own
  double gradient_scale = 1;               ///< of a loss: one over the mini-batch's samples
  /// Of attention: where the keys lie in the whole text, ascending; empty: in a row from 0 on.
  std::span<const std::int64_t> keys{};
  /// Of attention that reads its keys in several calls, whether others came before: its output, and
  /// the gradient of its queries, are added to.
  bool adds = false;
  std::uint64_t seed = 0;   ///< of this step, for dropout
  std::uint64_t layer = 0;  ///< by which random numbers of a step differ
};

/// One layer, ready to run. Losses take two inputs, values and targets (a class index per position,
/// or values of equal extents), and write the loss of each sample, unscaled, to an output of one
/// element a sample. Targets, losses and the whole numbers that an embedding looks up are fp32,
/// whatever the back end's elements are.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::unique_ptr<Saved> saved() const = 0;  ///< null where nothing is
  virtual void forward(const Call& call) = 0;
  /// Overwrites the input gradients. Of batch norm, also the gradients of its weights.
  virtual void backward_data(const Call& call) = 0;
  virtual void backward_weights(const Call& call) = 0;
  /// This rank's part of the statistics that forward or backward_data needs next, beyond those in
  /// `call.statistics`: of batch norms, and of losses over a vocabulary in parts.
  virtual std::vector<float> statistics(const Call& call, Pass pass) = 0;

 protected:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
};

}  // namespace oracle
