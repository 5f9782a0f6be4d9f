#pragma once
// How fast do threads copy that each have a core and memory of their own?
//
// What a thread copies it has just written; each copy begins when all threads are ready. Copies
// through a message are two, as a rank makes them: into a buffer that is the same each time, and
// from there to where nothing has been for long, as a step makes its tensors where the last did.
// A layer reads on while it makes what is packed, which waits in the last cache: as much as a
// core's own caches hold is read between.
//                                                   tests/microbench/compute/copiers_test.cpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace oracle {

enum class CopyPath : std::uint8_t { direct, through_message };

/// Seconds: into the message and from there; a direct copy's are the same.
struct CopyTimes {
  double pack = 0, unpack = 0;
  double mean() const { return (pack + unpack) / 2; }
};

/// As many threads as ranks, which copy so many bytes each at most, of at least one.
class Copiers {
 public:
  Copiers(int threads, std::size_t most, CopyPath path = CopyPath::direct);
  ~Copiers();

  /// Of the slowest of the first `threads` of them, each of so many times in a row.
  std::vector<CopyTimes> copy(int threads, int times, std::size_t bytes);
  /// Of as much as they can.
  std::vector<CopyTimes> copy(int threads, int times) { return copy(threads, times, most_); }

 private:
  class Copier;
  std::size_t most_;
  std::vector<std::unique_ptr<Copier>> all_;
};

}  // namespace oracle
