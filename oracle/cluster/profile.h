#pragma once
// What was measured on a machine?
//
// A profile is a plain value that calibration fills and pricing reads. Where it is silent, prices
// come from the device's and links' data sheets. An empty profile is valid.

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/copy_speed.h"
#include "oracle/cluster/kernel_fit.h"
#include "oracle/cluster/kernel_key.h"
#include "oracle/cluster/overlap.h"
#include "oracle/cluster/storage.h"

namespace oracle {

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

/// Messages of one size, as they were measured.
struct LinkPoint {
  Bytes message;
  Seconds time, low, high;   ///< median, 10th and 90th percentile
  std::int64_t samples = 1;  ///< measurements behind them
  bool operator==(const LinkPoint&) const = default;
};

/// What was measured across one level. The pieces are those of one message. Of a collective they
/// are of the messages that follow each other in its algorithm's schedule, so that its formula
/// gives back what was measured.
struct LinkFit {
  std::string level;                ///< name of the cluster's level
  std::vector<LinkPiece> pieces{};  ///< ascending in `from`
  std::string operation{};          ///< "all_reduce"; empty: point to point
  std::string algorithm{};          ///< of the collective: "ring"
  std::int64_t ranks = 0;           ///< in the groups that were measured; 0: in groups of any size
  /// Members of such a group inside one unit that the level joins; more than 1 only of an
  /// all-to-all, whose members send to some of theirs below the level (oracle/cost/fitted_links.h).
  std::int64_t per_unit = 1;
  Bytes least{}, most{};  ///< messages measured; most = 0: not known
  /// Bandwidth of several concurrent flows together over that of one alone; 0: not measured.
  double together = 0;
  double residual = 0;             ///< median |fitted - measured| / measured
  double leave_one_out = 0;        ///< the same of sizes that were left out of their own fit
  bool tabulated = false;          ///< the fit is bad: the pieces join the points of the table
  std::vector<LinkPoint> table{};  ///< ascending in `message`
};

/// What ranks on one device do to each other's kernels: while as many run the same, one that takes
/// t alone and moves `bytes` takes slowdown·t + sharing·slope·max(0, bytes − own) longer, at most
/// as many times as long where all is shared. A virtual machine's cores share a last cache and a
/// port to memory at one time and not at another.
struct Contention {
  std::int64_t ranks = 0;  ///< as were measured together; 0: not measured
  Bytes own;               ///< what the caches hold that a rank has for itself
  double slope = 0;        ///< seconds per byte
  double residual = 0;     ///< median |log(fitted / measured)|
  double slowdown = 0;     ///< by a lower clock, or another thread of the core, whatever is moved
  double sharing = 1;      ///< 0: each core has all memory for itself; the mean of a calibration
  bool operator==(const Contention&) const = default;
};

struct Profile {
  std::string name;
  std::vector<KernelTime> kernels;  ///< sorted by key
  std::vector<KernelFit> fits;      ///< for shapes that were not measured
  std::vector<LinkFit> links;
  std::vector<StorageRate> storage;  ///< one for each operation, workers and cache
  Overlap overlap;
  Contention contention;
  /// What a rank copies into and out of messages in a second (oracle/cost/staging.h), ascending in
  /// bytes; none: not known, and not priced.
  std::vector<CopySpeed> staging;

  /// Whether any kernel was measured.
  bool has_kernels() const { return !kernels.empty() || !fits.empty(); }
};

}  // namespace oracle
