#pragma once
// How long do a stage's items take when each stream runs its own in order?
//
// start(i) = max(end of the previous item on i's stream, end of every item i needs). The wait of
// the compute stream is charged to the item whose end it waited for.

#include <array>
#include <span>
#include <vector>

#include "oracle/timeline/timeline.h"

namespace oracle {

/// Stream an item runs on.
Stream stream_of(const Item& item);

/// Items [first, end) of a stage run from time 0; needs before `first` are complete.
struct StageRun {
  std::vector<Seconds> start, finish;            ///< per item of the range
  Seconds length;                                ///< the last stream's end
  std::array<Seconds, kStreamCount> occupied{};  ///< busy time of each stream
  Seconds waited_activation;                     ///< compute idle, waiting for layer communication
  Seconds waited_gradient;                       ///< compute idle, waiting for gradient exchange
  std::array<Seconds, kPhaseCount> busy{};       ///< compute stream, by phase
  /// Longest chain of dependent items: every stream as wide as it needs to be.
  Seconds critical_path;
  std::vector<Seconds> exposed;  ///< per item of the range: compute's wait charged to it
};

StageRun run_items(const Stage& stage, std::span<const Cost> costs, std::uint32_t first,
                   std::uint32_t end, double slowdown);

}  // namespace oracle
