#include "oracle/cluster/storage.h"

#include <array>

namespace oracle {
namespace {

constexpr std::array<std::string_view, kStorageOperationCount> kNames = {
    "read_sequential", "read_random", "decode", "checkpoint"};

}  // namespace

std::string_view name_of(StorageOperation operation) {
  return kNames[static_cast<std::size_t>(operation)];
}

std::optional<StorageOperation> storage_operation_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<StorageOperation>(i);
  }
  return std::nullopt;
}

Seconds time_of(const StorageRate& rate, Bytes bytes) { return rate.latency + bytes / rate.rate; }

}  // namespace oracle
