#pragma once
// How long does it take until a checkpoint lies on the medium?
//
// A file is written whole beside its final name, forced to the medium by fsync(), renamed, and its
// folder forced as well: what must be done lest a crash leaves half a file. Its bytes are random,
// so that no medium can make them fewer. The file is removed afterwards, which is not timed.
//                                              tests/microbench/storage/writing_test.cpp

#include <cstdint>
#include <filesystem>
#include <vector>

#include "microbench/timing/series.h"

namespace oracle {

struct WriteTimes {
  std::uint64_t bytes = 0;
  Series series;
};

/// Seconds for a file of `bytes` in `folder`. Leaves nothing behind, also where it throws
/// EnvironmentError: no such folder, no room.
double write_and_sync(const std::filesystem::path& folder, std::uint64_t bytes);

/// Files of `largest` bytes, a quarter and a sixteenth of it, in turn.
std::vector<WriteTimes> measure_writing(const std::filesystem::path& folder, std::uint64_t largest,
                                        const StopRule& rule);

}  // namespace oracle
