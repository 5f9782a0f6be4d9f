#pragma once
// What does one layer compute, keep and own, before anybody cuts it?
//
// A layer kind (kinds/) turns attributes and input shapes into these plain numbers once, when the
// graph is built. Everything later (cuts, prices, memory) reads the numbers and asks no kind again.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/shape.h"

namespace oracle {

using LayerId = std::uint32_t;

/// The passes of a training step over a layer. `update` is the optimizer's and belongs to no kind;
/// `gradient_sum` adds up the gradients that several consumers of one output send back; `quantize`
/// writes an operand of a product in fewer bits.
enum class Pass : std::uint8_t {
  forward,
  backward_data,
  backward_weights,
  update,
  gradient_sum,
  quantize
};
inline constexpr std::size_t kPassCount = 6;
std::string_view name_of(Pass pass);

/// A sliding window over depth, height and width (in that order). The identity window is all ones
/// and zeros. Output extent:
///   floor((in + pad_before + pad_after − dilation·(kernel−1) − 1)/stride) + 1
struct Window {
  std::array<std::int64_t, 3> kernel{1, 1, 1};
  std::array<std::int64_t, 3> stride{1, 1, 1};
  std::array<std::int64_t, 3> pad_before{0, 0, 0};
  std::array<std::int64_t, 3> pad_after{0, 0, 0};
  std::array<std::int64_t, 3> dilation{1, 1, 1};

  std::int64_t volume() const { return kernel[0] * kernel[1] * kernel[2]; }
  bool operator==(const Window&) const = default;
};

/// One trainable tensor, whole. A weight that several layers use belongs to the first of them.
struct Weight {
  std::string name;  ///< "weight", "bias", "gamma", …
  std::int64_t elements = 0;
  /// Its dimension along the output's features, or rows of a table that is looked up; 1: none.
  std::int64_t features_out = 1;
  std::int64_t features_in = 1;  ///< along the input's features, of one group
  LayerId owner = 0;             ///< the earlier layer whose weight this is; 0: this one's
  bool operator==(const Weight&) const = default;
};

/// How the output features of a layer depend on its input features: what a cut of features needs.
enum class Mixing : std::uint8_t {
  contraction,  ///< every output feature sums over the input features of its group (convolution,
                ///< dense)
  channelwise,  ///< output feature c reads input feature c only (pooling, activation, batch norm,
                ///< add)
  whole,        ///< needs all features of its group at once (loss, layer norm, softmax)
};

/// How an output position depends on input positions: what a spatial cut needs.
enum class Reach : std::uint8_t {
  pointwise,  ///< the same position
  windowed,   ///< a window: neighbours exchange halos
  global,  ///< output extents of 1 sum over all positions (global pooling): the output is partial
  whole,   ///< all positions at once, and the result is no sum (flatten, loss): cannot be cut
};

/// What one pass of a kind does, per element of the tensors it touches.
///   flops = flops_per_output · |y|   (+ the contraction's, see Layer::reduction)
///   bytes = (input_touches · |x| + other_touches · |others| + output_touches · |y|
///            + weight_touches · |w|) · element size
/// A touch is one read or one write of the whole tensor to device memory.
struct PassWork {
  double flops_per_output = 0;
  double input_touches = 0;
  double output_touches = 0;
  double weight_touches = 0;
  double other_touches = 0;  ///< of the inputs that are read whole (Layer::others_read_whole)
  bool operator==(const PassWork&) const = default;
};

/// What belongs to heads of attention: fused (kinds/attention.cpp), linear
/// (kinds/linear_attention.cpp), features that are joined for each (kinds/head_concat.cpp), or
/// turned by their position (kinds/rotary.cpp), or their scores (kinds/softmax.cpp).
struct Heads {
  std::int64_t queries = 0;  ///< 0: not attention, nothing is joined
  std::int64_t keys = 0;     ///< of keys and values, a divisor of `queries`; attention alone
  std::int64_t values = 0;   ///< of linear attention, heads of values, a multiple of `keys`
  std::int64_t chunk = 0;    ///< of linear attention, positions taken at once; 0: no such
  std::int64_t window = 0;   ///< positions that a causal one reads; all where it is no shorter
  std::int64_t within = 0;   ///< positions in a row that read each other alone; 0: all
  bool causal = false;
  std::int64_t first = 0;   ///< of a causal one, the position of the first query among the keys
  std::int64_t turned = 0;  ///< channels of each head that are turned, in pairs
  std::int64_t base = 0;    ///< of their frequencies
  bool masked = false;      ///< scores that are scaled and masked first
  bool operator==(const Heads&) const = default;
};

/// What a layer has to do with rows of tokens on their way to experts (kinds/dispatch.cpp).
enum class Routed : std::uint8_t { no, dispatch, expert, combine };

struct Kind;

/// One layer. Shapes are per sample.
struct Layer {
  std::string name;
  const Kind* kind = nullptr;  ///< a row of the table in kinds/table.cpp
  /// Which of the kind's functions: "max", "average", "relu", "sigmoid", …; else empty.
  std::string_view variant;
  std::vector<LayerId> inputs;
  Shape input;  ///< of the first input
  /// Of inputs that are joined along their channels, the mean, in whole blocks of 16 or whatever
  /// power of two less divides all of theirs; else 0.
  std::int64_t joined_channels = 0;
  Shape output;
  /// Output features that no cut separates: what flattening makes of one channel stays together,
  /// and so does what is read off it feature by feature.
  std::int64_t grain = 1;
  Window window;
  /// True where the window slides over the output and leaves the input (transposed convolution).
  bool transposed = false;
  std::int64_t groups = 1;
  Heads heads;
  Routed routed = Routed::no;
  std::int64_t experts = 1;    ///< that its weights are of
  std::int64_t per_token = 0;  ///< experts that each token goes to, of a dispatch and a combine
  /// True of a dispatch that gives each expert as many rows, however many are sent.
  bool has_capacity = false;
  /// True of a product of two tensors whose second lies as [group, n, k] (kinds/matmul.cpp).
  bool turned = false;
  /// True where each output position reads all positions of the inputs beyond the first.
  bool others_read_whole = false;
  std::int64_t other_elements = 0;  ///< of those inputs, per sample
  /// True where the input is numbers of rows of a trained table: whole, and of fp32 whatever other
  /// tensors are (bf16 has all of them up to 256 only).
  bool looks_up = false;
  /// True of a linear product whose operands may be of 8 bits and fewer: by whole rows of 16
  /// values, and neither a network's scores nor a router's (graph/linears.h).
  bool linear = false;
  /// True of a product that is too small for tensor parallelism to cut: a router's, one of a
  /// single feature, the first of an adapter.
  bool stays_whole = false;
  /// Where the part that a slice takes begins, by axis.
  std::array<std::int64_t, kAxisCount> begin{};
  /// Spatial axes of the network's tensors: 0 (flat), 1 (width), 2 (height, width), 3. A property
  /// of the network and not of the shape: a 3x3 window on a 1x1 image still has nine weights.
  std::size_t spatial_rank = 2;

  Mixing mixing = Mixing::channelwise;
  Reach reach = Reach::pointwise;
  /// Channels that a local response normalization sums around each one.
  std::int64_t summed_channels = 0;
  /// True for a normalization whose statistics run over the samples and positions of a batch.
  bool batch_statistics = false;
  /// Elements exchanged per pass when the statistics are synchronized (batch norm: 2·C).
  std::int64_t statistics = 0;
  /// Numbers of fp32 at each position, sums over all features, by which features in parts make the
  /// output of a layer that mixes them (a loss: the largest score, the sum, the target's); 0: none
  /// would do.
  std::int64_t feature_sums = 0;

  std::vector<Weight> weights;
  /// True of a function that a network's own code writes in element-wise operations: a framework
  /// may run each of these (Framework::composed).
  bool written_out = false;
  bool frozen = false;  ///< its weights stay as they are (adapters.h)
  /// Its weights are not those of its kind: computed from others, a part of a table or not trained.
  bool stored_otherwise = false;
  /// Multiply-adds per output element: (C/groups)·kernel volume for a contraction, the kernel
  /// volume for a depthwise convolution (which is channelwise), otherwise 0.
  std::int64_t reduction = 0;
  /// What the exact multiply-adds per output element are more than `reduction`, which is whole.
  double reduction_remainder = 0;
  /// Parts of the work that wait for each other, as the tokens of a recurrent layer do.
  std::int64_t steps = 1;
  std::array<PassWork, 3> work{};  ///< forward, backward_data, backward_weights

  /// What backward needs of this layer's own tensors (the others may be freed or overwritten).
  bool keeps_input = false;
  bool keeps_output = false;
  double mask_bytes_per_output = 0;  ///< bytes of a mask or index kept per output element
  /// True where the gradients of its weights are made with their values, as through time.
  bool gradient_reads_weights = false;
  /// Bytes that a pass holds beside its operands while it runs, per output element.
  std::array<double, 3> scratch_bytes_per_output{};
  bool in_place = false;  ///< the output may overwrite the first input

  /// Of the weights that are its own.
  std::int64_t parameters() const;
  /// Forward multiply-adds of its contractions for one sample, serial.
  double multiply_adds() const;
  bool trainable() const { return !weights.empty(); }
  bool learns() const { return trainable() && !frozen; }
  bool is_loss() const;
  /// Whether its first weight is a matrix with a row, or a window, for each output feature.
  bool has_filters() const { return reduction > 0 && mixing != Mixing::whole; }
  /// Of a pass that belongs to the kind: forward, backward_data or backward_weights.
  const PassWork& of(Pass pass) const { return work[static_cast<std::size_t>(pass)]; }

  /// FLOPs of a pass for one sample, serial; a multiply-add counts two. backward_weights is 0
  /// without weights; the others, which belong to no kind, are 0.
  /// Worked: the 3x3 convolution 64→64 on 56×56: 2·576·200704 = 231.2 MFLOP per pass
  ///                                                         tests/graph/kinds/convolution_test.cpp
  double flops(Pass pass) const;
};

}  // namespace oracle
