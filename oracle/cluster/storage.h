#pragma once
// What does a machine's storage do for training, and how fast?
//
//   read_sequential  the bytes of a set of samples in their order
//   read_random      the same, sample by sample in the order of training: what a step waits for;
//                    its bytes are those that a sample has once it is decoded
//   decode           a sample from its file's bytes, by one of some workers; nothing is waited for
//   checkpoint       a file written whole and forced to the medium
//
// An operation on b bytes takes latency + b/rate.
//
// Worked: 10 ms and 200 MB/s: a checkpoint of 100 MB takes 510 ms
//                                                        tests/cluster/storage_test.cpp

#include <cstdint>
#include <optional>
#include <string_view>

#include "oracle/base/units.h"

namespace oracle {

enum class StorageOperation : std::uint8_t { read_sequential, read_random, decode, checkpoint };
inline constexpr std::size_t kStorageOperationCount = 4;

/// "read_random"
std::string_view name_of(StorageOperation operation);
std::optional<StorageOperation> storage_operation_named(std::string_view name);

/// One operation as it was measured.
struct StorageRate {
  StorageOperation operation = StorageOperation::read_random;
  std::int64_t workers = 1;  ///< of a decode: how many did so at the same time
  bool cached = false;       ///< of a read: the file was in memory, so the medium was not measured
  Seconds latency{};         ///< 0 for what was measured at one size
  Bandwidth rate{};          ///< of a decode each worker's, in bytes of what comes out
  double uncertainty = 0;    ///< relative half-width of the 90 % interval
  Bytes least{}, most{};     ///< sizes measured
  std::int64_t samples = 1;  ///< measurements behind it
  bool operator==(const StorageRate&) const = default;
};

Seconds time_of(const StorageRate& rate, Bytes bytes);

}  // namespace oracle
