#pragma once
// How is independent work spread over all cores, with the same result for any number of them?

#include <cstdint>
#include <functional>

namespace oracle {

/// Calls `work(i)` once for each i in [0, count), in any order, from `threads` threads (0: as many
/// as the machine has; fewer where it gives no more). `work` must write only what belongs to i.
/// `pause(done)` is called now and then from the calling thread; returning false stops early.
/// Returns whether all was done. The first exception that `work` or `pause` throws is thrown again
/// here once all threads have stopped.
bool parallel_for(std::int64_t count, unsigned threads,
                  const std::function<void(std::int64_t)>& work,
                  const std::function<bool(std::int64_t)>& pause = {});

}  // namespace oracle
