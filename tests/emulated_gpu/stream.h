#pragma once
// The emulated device's streams, one for each thread. Work is not done when it is given but when
// somebody waits: as late as a device may do it. Who reads a result too early, or takes away what
// work is still to read, is found out.
//
// While a thread captures, its work is written down with the addresses that it was given, and not
// done (graph.cpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace oracle::emulated {

/// `backwards`: every other launch runs from the last index to the first, for bodies must not hang
/// on an order.
using Work = std::function<void(bool backwards)>;

/// Where work reads or writes, and the allocation that this was part of when it was given.
struct Touched {
  const void* address;
  std::uint64_t allocation;
};
struct Launch {
  Work work;
  std::vector<Touched> touched;
};
using Launches = std::vector<Launch>;

/// Behind what the calling thread gave before.
void give_work(Work work, std::span<const void* const> addresses);
void give_again(const Launches& launches);
/// Does what the calling thread gave. Nothing within work itself.
void finish_work();

/// False where the calling thread captures already.
bool begin_capture();
/// Whether the calling thread captures; then the capture is of no use, for what is called is
/// forbidden in one.
bool break_capture();
bool captures();
/// Of a capture that is over: null where it was broken. Requires one.
std::unique_ptr<Launches> end_capture();

/// What the calling thread did for which a device or its host must stop.
struct Stops {
  std::int64_t waits = 0;
  std::int64_t pageable_copies = 0;
  std::int64_t allocations = 0;  ///< of either side's memory, and giving it back
};
Stops& stops();

}  // namespace oracle::emulated
