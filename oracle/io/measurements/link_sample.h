#pragma once
// What does one measurement of a link say?
//
// An operation among `ranks` ranks whose innermost common level is `level`: its bytes, how long it
// took, and how many groups did the same at the same time. Bytes are those of the buffer as a plan
// counts them (plan/layout/layout.h): the result of an all_gather, the input of the others; of a
// message its length. Times are medians of repeated calls with the 10th and 90th percentile of
// those that were kept apart; a source that gives one figure gives all three the same. A number
// that was not measured is no sample, never a zero.
//
// Worked: an all_reduce of 8 MB over 4 ranks sends 6 messages of 2 MB each in turn
//                                                  tests/io/measurements/link_sample_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/base/units.h"

namespace oracle {

/// `message` is one way of a ping-pong; `stream` is one of many messages that follow each other
/// without waiting.
enum class LinkOperation : std::uint8_t {
  message,
  stream,
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all
};
inline constexpr std::size_t kLinkOperationCount = 6;

/// "all_reduce"
std::string_view name_of(LinkOperation operation);
std::optional<LinkOperation> link_operation_named(std::string_view name);

/// Tiers as a measurement can tell them, where it does not know the cluster's own names.
inline constexpr std::string_view kSocketTier = "socket";
inline constexpr std::string_view kMachineTier = "machine";
inline constexpr std::string_view kNetworkTier = "network";

struct LinkSample {
  std::string level;  ///< a tier, or a level of the cluster; empty: the source cannot say
  LinkOperation operation = LinkOperation::message;
  std::int64_t ranks = 2;     ///< members of one group
  std::int64_t per_unit = 1;  ///< of them inside one unit that `level` joins
  std::int64_t flows = 1;     ///< groups that did so at the same time across the same uplink
  Bytes bytes;
  Seconds median, low, high;
  std::int64_t count = 1;  ///< calls behind the times
  std::string source;      ///< "nccl-tests 2.13.8", "oracle-bench-links"
};

/// Whether a time or a size is one that links can have: a picosecond to a month, up to 10 PB.
bool believable(Seconds time);
bool believable(Bytes size);

/// What of an operation's time one message of its schedule took, and how many follow each other: a
/// ring for all_reduce, 2(n-1) messages of S/n; for reduce_scatter and all_gather n-1; pairwise
/// exchange for all_to_all, n-1.
struct LinkRounds {
  double rounds = 1;
  Bytes message;
};
LinkRounds rounds_of(LinkOperation operation, std::int64_t ranks, Bytes bytes);

/// A transfer and a computation, each by itself and both at the same time.
struct Interference {
  std::string level;
  LinkOperation operation = LinkOperation::all_reduce;
  Bytes bytes;
  Seconds compute_alone, compute_beside;
  Seconds transfer_alone, transfer_beside;
};

}  // namespace oracle
