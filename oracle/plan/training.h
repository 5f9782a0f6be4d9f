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

/// Bytes per element of what a step keeps and exchanges.
///
///   name   compute  activations  weights  gradients  master copy
///   fp32   fp32     4            4        4          –
///   tf32   tf32     4            4        4          –
///   fp16   fp16     2            2        2          4
///   bf16   bf16     2            2        2          4
struct Precision {
  std::string_view name;
  DataType compute;
  int activation_bytes;
  int weight_bytes;
  int gradient_bytes;
  int master_bytes;
};

/// State per parameter and memory touches of an update (reads and writes of a 4-byte value).
///
///   name      state bytes  touches   reads and writes
///   sgd       0            3         w, g → w
///   momentum  4            5         w, g, v → w, v
///   adam      8            7         w, g, m, v → w, m, v
struct Optimizer {
  std::string_view name;
  int state_bytes;
  int touches;
  int flops;  ///< per parameter
};

std::span<const Precision> all_precisions();
std::span<const Optimizer> all_optimizers();

/// Throw InputError with a suggestion when the name is unknown.
const Precision& precision_named(std::string_view name);
/// AdamW is Adam here: its weight decay moves nothing more.
const Optimizer& optimizer_named(std::string_view name);

/// Bytes of a value of a layer's output: numbers of rows are of fp32 in any precision.
/// Worked: in bf16 a text that an embedding reads has 4, what it makes of it 2
///                                                         tests/plan/training_test.cpp
int value_bytes(const Graph& graph, LayerId id, const Precision& precision);

/// Bytes as the framework keeps them: with fp32 weights the copy is that of a step's casts.
/// Worked: fp16 keeps 2, 2 and 4 bytes of weights, gradients and master copy, or 4, 4 and 2
///                                                         tests/plan/training_test.cpp
Precision kept_by(const Framework& framework, Precision precision);

struct Training {
  std::int64_t batch = 1;  ///< global mini-batch, samples
  Precision precision = all_precisions().front();
  Optimizer optimizer = all_optimizers().front();
  Framework framework{};

  /// Takes a framework, and keeps tensors, weights and gradients as it does.
  void run_by(Framework other) {
    precision = kept_by(other, precision);
    framework = std::move(other);
    if (precision.activation_bytes == 2 && framework.half_channels_last) {
      framework.channels_last = true;
    }
  }
};

}  // namespace oracle
