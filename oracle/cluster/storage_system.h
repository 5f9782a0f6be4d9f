#pragma once
// What does a storage give to processes that use it at the same time?
//
// Local disks serve the ranks of their host, a shared storage those of all hosts. Its bandwidth is
// a curve over processes: linear between the points, constant past the last, and a single process
// has that of the first (Dryden et al., NoPFS, arXiv 2101.08734). Before the first byte of a file
// passes `open`, which is what many small files cost. One JSON file in data/storage.
//
// Worked: 66 MB/s of 1 process and 86 MB/s of 2: 76 MB/s of one and a half, 66 MB/s of a half
//                                                       tests/cluster/storage_system_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"

namespace oracle {

/// What so many processes read or write together.
struct BandwidthPoint {
  std::int64_t processes = 1;
  Bandwidth total;
};

struct StorageSystem {
  std::string id;                    ///< file name: "nfs"
  std::string name;                  ///< "file server of a small cluster, over NFS"
  bool shared = true;                ///< by all hosts; else each host has one of its own
  std::vector<BandwidthPoint> read;  ///< by processes, ascending
  std::vector<BandwidthPoint> write;
  Seconds open;                       ///< of a file that is read or written
  std::vector<FigureSource> sources;  ///< of each figure
};

/// Of a curve that has a point.
Bandwidth bandwidth_of(const std::vector<BandwidthPoint>& curve, double processes);

/// The weakest evidence for what it is asked: of `read` or `write`, and `open`.
Source source_of(const StorageSystem& storage, std::string_view curve);

/// Until a file of `bytes` that one process writes lies on it.
/// Worked: 1 GB at 250 MB/s and 4 ms: 4.004 s
Seconds write_time(const StorageSystem& storage, Bytes bytes);

}  // namespace oracle
