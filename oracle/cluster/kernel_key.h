#pragma once
// Which kernel of one rank is it, and what does that kernel do?
//
// A key is a layer's pass on a local piece, in all that decides its time: two kernels of equal keys
// run the same code on tensors of the same extents. What is read off a key, in units that no device
// knows:
//
//   operations  2·|y|·(C/groups)·window for a contraction, |y|·window for a pool or attention,
//               whose window is what a query reads, else |x|
//   elements    |inputs| + |y| + |w|     each read or written once
//   features    log2 of samples, C/groups, F/groups, groups, positions, window, stride, inputs; and
//               how far input and output channels are from whole blocks of 16
//
// Kernels of one family (kind, variant, way of grouping) are compared with each other.
//
// Worked: 3x3 over 64→64 features on 8 samples of 56x56: 1.85 GFLOP, 3.25 M elements; attention of
// 4 heads of 16 over 128 tokens, causal, on 8 samples: 4.26 M operations, 262,144 elements
//                                                              tests/cluster/kernel_key_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "oracle/cluster/device.h"

namespace oracle {

struct KernelKey {
  std::string kind;  ///< layer kind; "update", "gradient_sum"; "compress", "reduce", "restore"
  /// Which of the kind's functions; of an update the optimizer; of a compressed exchange its row:
  /// "max", "adam", "topk".
  std::string variant;
  std::uint8_t pass = 0;
  DataType type = DataType::fp32;
  std::int64_t samples = 1;
  std::int64_t inputs = 1;  ///< tensors read
  /// Channels, depth, height, width of the first input and of the output; of inputs that are
  /// joined, their mean.
  std::array<std::int64_t, 4> input{1, 1, 1, 1}, output{1, 1, 1, 1};
  /// Of attention the last of `kernel` are the keys that a query reads, in the mean.
  std::array<std::int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  std::int64_t groups = 1;   ///< of channels; of attention the heads of its queries
  bool contraction = false;  ///< every output element sums over the channels of its group
  /// Of what no extent tells: experts whose matrices these are; rows of a table of weights that is
  /// looked up or added.
  std::int64_t entries = 1;
  /// Elements, per sample, of the keys and values of attention together; 0: of anything else.
  std::int64_t others = 0;
  auto operator<=>(const KernelKey&) const = default;
};

inline constexpr std::size_t kKernelFeatures = 10;
using KernelFeatures = std::array<double, kKernelFeatures>;

struct KernelWork {
  double operations = 0;
  double elements = 0;
};

/// Of a step of a compressed exchange ("compress" of "topk"), whose inputs and output are so many
/// words, in whole blocks of 16; ranks begin it together, as an update.
/// Worked: 1000 values that become 20 words: 1008 and 32
KernelKey compression_key(std::string_view step, std::string_view exchange, DataType type,
                          std::int64_t inputs, std::int64_t input, std::int64_t output);

KernelWork work_of(const KernelKey& key);
KernelFeatures features_of(const KernelKey& key);

/// "convolution", "convolution depthwise", "pool max".
std::string family_of(const KernelKey& key);

}  // namespace oracle
