#pragma once
// How long does it take to read the samples of a step from a storage that is described?
//
// Each of R ranks reads n samples of s bytes with W workers; H ranks share the storage (those of a
// host, or all), k samples lie in a file, and memory serves the part x of the reads:
//
//   storage   (1 − x)·n·H·s/B(H·W)                              B: the curve of the storage
//   workers   n·((1 − x)·(open/k + s/B(1)) + 1/d)/W             d: samples a worker decodes a
//   second
//
// A worker waits for the file that it opens, so many small files cost workers and not bandwidth;
// where d is not known decoding takes no time. The larger of the two is what a step waits for as
// far as it is longer than the step (storage_costs.h).
//
// Random reads over all of a set are taken to find in a cache of c bytes the part c/D of D, as
// where nothing is driven out that is needed again (Mohan et al., CoorDL, arXiv 2007.06775); a page
// cache finds less. The first epoch finds nothing.
//
// Worked: 64 samples of 114 kB on each of 32 ranks, 8 workers, NFS of 324 MB/s and 3 ms: storage
// 721 ms, workers 37.8 ms; 1,251 samples in a file: workers 13.8 ms tests/evaluate/reading_test.cpp

#include <cstdint>

#include "oracle/cluster/storage_system.h"

namespace oracle {

struct SampleReading {
  StorageSystem storage;
  Bytes sample;  ///< as it is kept
  std::int64_t samples_per_file = 1;
  double cached = 0;              ///< part of the reads that memory serves
  double decoded_per_second = 0;  ///< samples, by one worker; 0: not known
};

struct ReadingTime {
  Seconds storage, workers;
};

/// Of a step in which each of `ranks` ranks, `per_host` of them on a host, reads `samples` samples
/// with so many workers.
ReadingTime reading_time(const SampleReading& reading, std::int64_t samples, std::int64_t ranks,
                         std::int64_t per_host, std::int64_t workers);

}  // namespace oracle
