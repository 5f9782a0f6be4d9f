#pragma once
// How fast are the bytes of a set of samples read, in their order and at random?
//
// A pass drops all files from memory, asks how much of them is there still, and reads pieces one
// after the other with pread(), as training's readers do (validate/data/images/tar.cpp):
// one file stays open while pieces of it follow each other. What is timed is a group of pieces, so
// that read-ahead and the odd slow piece count with their share.
//
//   in order    groups of 16 pieces of 1 MiB
//   at random   groups of 16 pieces as long as a sample, shuffled; the time is that of one piece
//
// Worked: 40 MiB in pieces of 1 MiB: 40 pieces, two groups of 16 MiB and one of 8
//                                              tests/microbench/storage/reading_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "microbench/storage/files.h"
#include "microbench/timing/series.h"

namespace oracle {

struct ReadPiece {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Every file from its begin to its end.
std::vector<ReadPiece> pieces_of(std::span<const StoredFile> files, std::uint64_t piece);

/// In another order, the same for the same seed.
std::vector<ReadPiece> shuffled(std::vector<ReadPiece> pieces, std::uint64_t seed);

struct ReadTimes {
  std::string operation;    ///< "read_sequential", "read_random"
  std::uint64_t bytes = 0;  ///< that a time is for
  double in_memory = 0;     ///< the largest share of the files that was there before a pass
  Series series{};
};

/// Files of which more is in memory are said to be read from there.
inline constexpr double kMostInMemory = 0.05;

/// Passes over as many bytes as `most_bytes` until the rule is met. Throws EnvironmentError.
ReadTimes read_in_order(std::span<const StoredFile> files, const StopRule& rule,
                        std::uint64_t most_bytes);
ReadTimes read_at_random(std::span<const StoredFile> files, std::uint64_t sample_bytes,
                         const StopRule& rule, std::uint64_t most_bytes);

}  // namespace oracle
