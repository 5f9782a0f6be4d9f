#pragma once
// What can one device do on paper?
//
// Peaks are dense (no structured sparsity) and those of the best unit for the number format; sizes
// are what the driver reports. Every figure has its source.
//
// Worked: a V100-SXM2 multiplies fp16 matrices at 125 TFLOP/s, 7.96 times its 15.7 in fp32
//                                                          tests/io/clusters/cluster_files_test.cpp

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/base/units.h"

namespace oracle {

/// Number formats a device may compute in. fp8 has scales that software keeps, mxfp8 and fp4
/// (NVFP4) those of blocks, which the unit reads.
enum class DataType : std::uint8_t { fp32, tf32, fp16, bf16, fp8, mxfp8, fp4 };
inline constexpr std::size_t kDataTypeCount = 7;
std::string_view name_of(DataType type);

/// What all but linear products computes in where these do in `type`: bf16 beside fewer bits.
DataType wide_of(DataType type);

/// What one kernel may compute of several layers that follow one another: which, says
/// plan/fusion.h.
enum class Fusion : std::uint8_t {
  convolution_activation,
  dense_activation,
  batch_norm_activation,
  add_activation
};
inline constexpr std::size_t kFusionCount = 4;
std::string_view name_of(Fusion fusion);

using Fusions = std::array<bool, kFusionCount>;

enum class DeviceClass : std::uint8_t { gpu, cpu };

/// Generations of GPUs whose libraries differ (cost/compute/gpu_library.h).
enum class Generation : std::uint8_t {
  unknown,
  kepler,
  maxwell,
  pascal,
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell
};
inline constexpr std::size_t kGenerationCount = 10;
std::string_view name_of(Generation generation);

/// What the kernels that train here (microbench/kernels) compute in one pass on such a device.
Fusions fusions_of_kernels(DeviceClass device_class);

/// Where one figure of a description comes from.
struct FigureSource {
  std::string figure;  ///< its key: "memory", "peak/fp16", "node/bandwidth"
  Source kind = Source::assumed;
  std::string text;  ///< title and year of the document, or why it is assumed
  bool operator==(const FigureSource&) const = default;
};

/// One processor as its data sheet describes it. `multiprocessors` are SMs of a GPU, cores of a
/// CPU.
struct Device {
  std::string id;    ///< file name: "v100-sxm2-16gb"
  std::string name;  ///< "NVIDIA Tesla V100-SXM2-16GB"
  DeviceClass device_class = DeviceClass::gpu;
  std::array<FlopRate, kDataTypeCount> peak{};  ///< dense, best unit for the type; 0: not offered
  std::array<bool, kDataTypeCount> matrix_unit{};  ///< true where the peak is a matrix unit's
  Generation generation = Generation::unknown;     ///< of a GPU
  /// MACs in fp16, added up in fp32, of a multiprocessor's matrix unit in a clock; 0: as
  /// many as the boards for data centers of its generation.
  int matrix_rate = 0;
  /// Part of the peak's clock that large products hold.
  std::array<double, kDataTypeCount> sustained{1, 1, 1, 1, 1, 1, 1};
  Bytes memory;
  Bandwidth memory_bandwidth;
  Bytes cache;                     ///< last level
  std::int64_t channel_block = 1;  ///< channels that kernels store side by side, filled up
  Fusions fusions{};               ///< what its kernels compute in one pass
  int multiprocessors = 1;
  Seconds launch_overhead;  ///< between two dependent kernels
  Bytes reserved;           ///< driver context and libraries, not available to training
  /// Standard deviation of the time in which ranks compute the same, as a part of its mean. By
  /// default that of one node of 8 V100 (cost/arrival_skew.h).
  double compute_spread = 0.025;
  double price_per_hour = 0;          ///< dollars per device-hour, 0: unknown
  double board_power = 0;             ///< the most the board draws [W], 0: unknown
  Bandwidth nvlink;                   ///< to others of its node, one way; 0: none is known
  bool peer_access = true;            ///< whether boards on PCI Express reach each other's memory
  Bandwidth host_link;                ///< to its host, each way; 0: what is usual (cluster/host.h)
  std::vector<FigureSource> sources;  ///< one for each figure

  FlopRate peak_of(DataType type) const { return peak[static_cast<std::size_t>(type)]; }
  FlopRate sustained_peak_of(DataType type) const {
    return peak_of(type) * sustained[static_cast<std::size_t>(type)];
  }
  bool matrix_unit_for(DataType type) const { return matrix_unit[static_cast<std::size_t>(type)]; }
  bool fuses() const { return fusions != Fusions{}; }
};

}  // namespace oracle
