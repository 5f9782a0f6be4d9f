#pragma once
// What does a layer's pass on a local piece ask of a device?
//
// A contraction is seen as the matrix product that it amounts to (implicit GEMM), per group:
//
//   pass               m                  n              k
//   forward            samples·|y pos|    F/groups       reduction
//   backward_data      samples·|x pos|    C/groups       F/groups · kernel volume
//   backward_weights   reduction          F/groups       samples·|y pos|
//
// Its operations are 2·|y|·reduction in every pass: the holes that a stride leaves in
// backward_data do not count, so m·n·k may be more. Everything else streams: it touches its tensors
// so many times and does few operations per element. So does a depthwise convolution, whose
// products are one row wide.
//
// Launches assumed: one per pass that does anything, a bias fused into it. backward_weights of a
// contraction needs a second one to sum the bias's gradient; that of a normalization needs none,
// for it falls off in backward_data.
//
// Worked: 3x3 convolution 64→64 on 56×56, 32 samples, forward: m=100352, n=64, k=576, 7.40 GFLOP,
// 51.5 MB of fp32                                              tests/cost/compute/kernel_test.cpp

#include <array>
#include <cstdint>

#include "oracle/base/units.h"
#include "oracle/cluster/profile.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// How a kernel is priced: a matrix product worth the name by its shape, a convolution by the
/// product that it amounts to, attention by its heads, all else as a stream.
enum class KernelForm : std::uint8_t {
  stream,
  depthwise,
  product,
  convolution,
  attention,
  linear_attention
};

struct KernelDemand {
  KernelForm form = KernelForm::stream;
  Pass pass = Pass::forward;  ///< of what contracts
  /// Input and output features of a group are multiples of 16 bytes, as matrix units want them.
  bool aligned = false;
  bool narrow = false;  ///< operands are of fewer bits than activations (Precision::narrow)
  Flops flops;          ///< of the contraction and of what streams with it
  Bytes traffic;        ///< to and from device memory, at least
  /// Of one group's product. Without reduction: output positions, features and 0. Of attention,
  /// whose groups are the heads of all samples: queries, features of a head's values, and the keys
  /// that a query sees in the mean; of linear attention these are features of a head's keys.
  std::int64_t m = 0, n = 0, k = 0;
  bool causal = false;  ///< of attention: the mask cuts through tiles
  AttentionKernel attention = AttentionKernel::flash_2;  ///< of attention: whose kernel it is
  std::int64_t groups = 1;
  int kernels = 1;  ///< launches
  /// Of a convolution: positions of the window (of linear attention: of a chunk), product of its
  /// strides, output positions of all samples, and what of the traffic is the layer's input or its
  /// gradient.
  std::int64_t window = 1, stride = 1, positions = 0;
  Bytes data;
  /// Height and width of the maps that the pass makes (of weights: reads), where their window may
  /// be filtered by Winograd's way: square, undilated, at stride 1; else 0.
  std::array<std::int64_t, 2> map{};
  Bytes workspace;            ///< that the kernel may have
  bool channels_last = true;  ///< as tensors lie
  bool padded = false;        ///< few channels are filled up to what matrix units take

  bool contracts() const {
    return form == KernelForm::product || form == KernelForm::convolution ||
           form == KernelForm::attention || form == KernelForm::linear_attention;
  }
  bool operator==(const KernelDemand&) const = default;
};

/// Demand of a pass of `layer` on `piece`. For Pass::update `piece.weights` are all the stage's.
KernelDemand demand(const Layer& layer, const Piece& piece, Pass pass, const Training& training);

/// The same of an item: of a conversion to fewer bits what it streams.
KernelDemand demand(const Layer& layer, const Piece& piece, const Work& work,
                    const Training& training);

/// Demand of the optimizer's update of `weights` parameters (one fused kernel).
KernelDemand update_demand(std::int64_t weights, const Training& training);

/// Demand of what is done to a bucket of gradients that travels compressed.
KernelDemand compression_demand(const Compression& step);
KernelKey key_of(const Compression& step, const Training& training);

/// The key under which a profile may hold this very kernel's measured time.
KernelKey key_of(const Layer& layer, const Piece& piece, Pass pass, const Training& training);

/// The same of the optimizer's update of `weights` parameters.
KernelKey update_key(std::int64_t weights, const Training& training);

}  // namespace oracle
