#pragma once
// The emulated device's streams, one for each thread. Work is not done when it is given but when
// somebody waits: as late as a device may do it. Who reads a result too early, or takes away what
// work is still to read, is found out.

#include <cstdint>
#include <functional>

namespace oracle::emulated {

/// `backwards`: every other launch runs from the last index to the first, for bodies must not hang
/// on an order.
using Work = std::function<void(bool backwards)>;

/// Behind what the calling thread gave before.
void give_work(Work work);
/// Does what the calling thread gave. Nothing within work itself.
void finish_work();

/// What the calling thread did for which a device or its host must stop.
struct Stops {
  std::int64_t waits = 0;
  std::int64_t pageable_copies = 0;
  std::int64_t allocations = 0;  ///< of either side's memory, and giving it back
};
Stops& stops();

}  // namespace oracle::emulated
