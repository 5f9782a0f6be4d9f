#include "oracle/io/measurements/link_sample.h"

#include <array>

namespace oracle {
namespace {

constexpr std::array<std::string_view, kLinkOperationCount> kNames = {
    "message", "stream", "all_reduce", "reduce_scatter", "all_gather", "all_to_all"};

}  // namespace

std::string_view name_of(LinkOperation operation) {
  return kNames[static_cast<std::size_t>(operation)];
}

std::optional<LinkOperation> link_operation_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LinkOperation>(i);
  }
  return std::nullopt;
}

bool believable(Seconds time) { return time.value >= 1e-12 && time.value <= 3e6; }

bool believable(Bytes size) { return size.value >= 1 && size.value <= 1e16; }

LinkRounds rounds_of(LinkOperation operation, std::int64_t ranks, Bytes bytes) {
  const auto n = static_cast<double>(ranks);
  switch (operation) {
    case LinkOperation::message:
    case LinkOperation::stream:
      return {1, bytes};
    case LinkOperation::all_reduce:
      return {2 * (n - 1), bytes / n};
    case LinkOperation::reduce_scatter:
    case LinkOperation::all_gather:
    case LinkOperation::all_to_all:
      return {n - 1, bytes / n};
  }
  return {1, bytes};
}

}  // namespace oracle
