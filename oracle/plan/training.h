#pragma once
// What is trained: batch, number format, optimizer?

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "oracle/cluster/device.h"
#include "oracle/cluster/framework.h"
#include "oracle/graph/graph.h"

namespace oracle {

inline constexpr int kFp32Bytes = 4;

/// What the operands of a linear product are in where they have fewer bits than activations:
/// values, and scales that some share. Of both there are two layouts, in rows and turned round, one
/// for each product; the scale of a whole tensor counts for nothing.
struct NarrowFormat {
  int bits = 0;  ///< of a value; 0: operands are as all else
  int scale_bytes = 0;
  int per_scale = 1;         ///< values of activations and their gradients
  int per_weight_scale = 1;  ///< values of a weight

  /// Of a value, with its part of a scale.
  double value_bytes() const { return bits / 8.0 + static_cast<double>(scale_bytes) / per_scale; }
  double weight_bytes() const {
    return bits / 8.0 + static_cast<double>(scale_bytes) / per_weight_scale;
  }
};

/// Bytes per element of what a step keeps and exchanges.
///
///   name       compute  activations  weights  gradients  master copy  linear operands: a scale for
///   fp32       fp32     4            4        4          –
///   tf32       tf32     4            4        4          –
///   fp16       fp16     2            2        2          4
///   bf16       bf16     2            2        2          4
///   fp8        fp8      2            2        2          4            1: a tensor
///   fp8_block  fp8      2            2        2          4            1: 128, 128x128 of weights
///   mxfp8      mxfp8    2            2        2          4            1: 32, of 1 byte
///   fp4        fp4      2            2        2          4            0.5: 16, of 1 byte
///
/// The last four are those of linears alone (Layer::linear), forward and both gradients; the rest
/// of a network is as in bf16. Transformer Engine's delayed scaling; DeepSeek-V3, arXiv 2412.19437,
/// 3.3; OCP MX 1.0, 2023; NVFP4, arXiv 2509.25149.
struct Precision {
  std::string_view name;
  DataType compute;
  int activation_bytes;
  int weight_bytes;
  int gradient_bytes;     ///< as gradients are added up and kept
  int master_bytes;       ///< that the optimizer has beside the weights
  NarrowFormat narrow{};  ///< of linears' operands
  int reduce_bytes = 0;   ///< of a gradient that travels; 0: as it is kept
  int cast_bytes = 0;     ///< of the copy that a step makes of wider weights
  int frozen_bits = 0;    ///< of linears' weights that stay as they are; 0: as kernels read them

  int travelling_bytes() const { return reduce_bytes > 0 ? reduce_bytes : gradient_bytes; }
  /// Of a weight as kernels read it, and as shards are gathered for them.
  int used_bytes() const { return cast_bytes > 0 ? cast_bytes : weight_bytes; }
  /// Of a gradient as kernels make it.
  int made_bytes() const { return gradient_bytes < used_bytes() ? gradient_bytes : used_bytes(); }
  /// Whether gradients are added up in a wider format than that of the weights.
  bool has_main_gradients() const { return gradient_bytes > weight_bytes; }
};

/// State per parameter: read and written in an update, as the weight is; the gradient is read.
///
///   name       state bytes  reads and writes
///   sgd        0            w, g → w
///   momentum   4            w, g, v → w, v
///   adam       8            w, g, m, v → w, m, v
///   adam_bf16  4            the same, moments of 2 bytes (DeepSeek-V3, arXiv 2412.19437)
///   adam8bit   2            the same, of 1 byte (Dettmers et al., arXiv 2110.02861), whose scales,
///                           4 bytes for 2048 values, count for nothing here
///
/// Operation by operation (PyTorch's foreach, its default on GPUs) more is touched, in values of
/// the weight and of the gradient, in bytes of state so often, and in temporary values of fp32:
///
///   momentum   b *= μ; b += g; w -= l·b                              2 w, 1 g, 5 state
///   adam       m lerp g; v *= β; v += g²; r = √v; r /= c; r += ε;    2 w, 2 g, 4 state, 6
///   temporary
///              w -= l·m/r
///
/// PyTorch 2.6, optim/adam.py and sgd.py. Worked: adam in fp32 72 bytes a parameter, in one kernel
/// 28                                                      tests/cost/compute/kernel_test.cpp
struct Optimizer {
  struct Touches {
    int weight, gradient, state, temporary;
  };

  std::string_view name;
  int state_bytes;
  int flops;            ///< per parameter
  Touches foreach{};    ///< where it is run operation by operation; none: it never is
  bool in_one = false;  ///< asked for in one kernel: "fused_adam"
};

std::span<const Precision> all_precisions();
std::span<const Optimizer> all_optimizers();

/// Throw InputError with a suggestion when the name is unknown. "amp" is fp16, with what the
/// framework keeps in fp32.
const Precision& precision_named(std::string_view name);
/// AdamW is Adam here, in any format: its weight decay moves nothing more. "fused_" before a name
/// asks for one kernel, whatever the framework has.
Optimizer optimizer_named(std::string_view name);

/// Bytes of a value of a layer's output: numbers of rows are of fp32 in any precision.
/// Worked: in bf16 a text that an embedding reads has 4, what it makes of it 2
///                                                         tests/plan/training_test.cpp
int value_bytes(const Graph& graph, LayerId id, const Precision& precision);

/// Whether a layer's products have operands of fewer bits than activations.
inline bool is_narrow(const Layer& layer, const Precision& precision) {
  return layer.linear && precision.narrow.bits > 0;
}

/// Bytes of a parameter that stays as it is: with `frozen_bits` of 4 NF4 with quantized scales
/// (Dettmers et al., "QLoRA", arXiv 2305.14314), which is turned into what kernels read before each
/// product. Worked: 4 bits are 0.516                       tests/plan/frozen_test.cpp
double frozen_bytes(const Layer& layer, const Precision& precision);

/// Of a parameter of one layer.
struct WeightBytes {
  double kept;  ///< from step to step
  double used;  ///< as shards are gathered for kernels
  double cast;  ///< of the copy that a step makes of wider weights
  double sent;  ///< once its shard is updated

  /// Worked: in fp8 a linear's has 2, two layouts of 1, of which 1 is sent
  ///                                                       tests/plan/narrow_formats_test.cpp
  static WeightBytes of(const Layer& layer, const Precision& precision);
};

/// Bytes as the framework keeps them, but for what `asked` says. With fp32 weights the copy is that
/// of a step's casts; who asks for a master copy, or for none, has weights of the narrow format.
/// Throws InputError where weights that are wide anyway are to have a copy.
/// Worked: fp16 keeps 2, 2 and 4 bytes of weights, gradients and master copy, or 4, 4 and 2 of
/// casts; with gradients=fp32 2, 4 and 4                   tests/plan/training_test.cpp
Precision kept_by(const Framework& framework, Precision precision, const StateFormats& asked = {});

struct Training {
  std::int64_t batch = 1;  ///< global mini-batch, samples
  Precision precision = all_precisions().front();
  Optimizer optimizer = all_optimizers().front();
  Framework framework{};
  StateFormats state{};  ///< asked for, whatever the framework has

  /// Takes a framework, and keeps tensors, weights and gradients as it does.
  void run_by(Framework other) {
    precision = kept_by(other, precision, state);
    framework = std::move(other);
    if (precision.activation_bytes != 2) {
      framework.half_fuses_sums = framework.half_pads_images = false;
      return;
    }
    framework.channels_last |= framework.half_channels_last;
    framework.fuses |= framework.half_fuses_sums;
  }
};

/// Whether the optimizer is run operation by operation.
inline bool updates_by_operation(const Training& training) {
  const Optimizer& optimizer = training.optimizer;
  return training.framework.foreach_optimizer && !optimizer.in_one && optimizer.foreach.weight > 0;
}

/// Whether gradients that are exchanged are copied into buckets: those that no rank has a shard of.
inline bool copies_gradients(const Training& training, int zero) {
  return training.framework.copies_buckets && zero < 2;
}

/// Whether backward of a layer reads its inputs: that of a sum over experts does not, where their
/// rows are weighted before.
bool keeps_input(const Layer& layer, const Training& training);

/// Whether a framework runs each of the operations in which a function is written out.
bool runs_each_operation(const Layer& layer, const Framework& framework);

/// Whether a loss turns its scores into fp32: a framework that does keeps shares of one for
/// backward, and makes their gradient before it narrows it.
bool turns_scores_into_fp32(const Layer& layer, const Training& training);

/// Bytes that are kept of a weight from step to step, where nothing is sharded; casts are not.
/// Worked: Adam in bf16 with gradients=fp32 keeps 2 + 4 + 4 + 8   tests/plan/training_test.cpp
int bytes_per_parameter(const Training& training);

}  // namespace oracle
