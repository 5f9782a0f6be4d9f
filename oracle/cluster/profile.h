#pragma once
// What was measured on a machine?
//
// A profile is a plain value that calibration fills and pricing reads. Where it is silent, prices
// come from the device's and links' data sheets. An empty profile is valid.

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/device.h"

namespace oracle {

/// The matrix product a kernel amounts to: out[m,n] += a[m,k]·b[k,n], `batch` times (groups).
/// A kernel without a contraction has k = 0, and moves m·n elements `touches` times.
struct KernelKey {
  std::string kind;  ///< layer kind
  std::uint8_t pass = 0;
  DataType type = DataType::fp32;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  auto operator<=>(const KernelKey&) const = default;
};

struct KernelTime {
  KernelKey key;
  Cost cost;
};

/// One piece of a piecewise α-β fit: messages of at least `from` bytes take latency +
/// bytes/bandwidth.
struct LinkPiece {
  Bytes from;
  Seconds latency;
  Bandwidth bandwidth;
  double uncertainty = 0;
};

struct LinkFit {
  std::string level;              ///< name of the cluster's level
  std::vector<LinkPiece> pieces;  ///< ascending in `from`
};

struct Profile {
  std::string name;
  std::vector<KernelTime> kernels;  ///< sorted by key
  std::vector<LinkFit> links;
  /// Compute and communication that run at the same time each take this much longer (0: not at
  /// all).
  double overlap_slowdown = 0;
};

}  // namespace oracle
