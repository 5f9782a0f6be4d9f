#pragma once
// Where does a request for memory lie?
//
// Memory comes in chunks, which are cut as requests come and grow together again as they go, so
// that a step finds the places that the step before used: pages are faulted in once, whatever the
// order of sizes. A request takes the smallest free place that holds it, at the lowest address.
// Only addresses are kept, never read: a chunk may lie on a device.
//
// Worked: of free places of 256 and 128 bytes a request of 100 takes the latter, all of it (units
// of 64 bytes). tests/microbench/kernels/arena_test.cpp

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace oracle {

/// For one thread. Who makes the chunks frees them.
class Arena {
 public:
  static constexpr std::int64_t kUnit = 64;  ///< a cache line

  /// A place of at least `bytes` (> 0), aligned as chunks are but to kUnit; null: add a chunk.
  void* take(std::int64_t bytes);
  /// `bytes` as they were asked for.
  void give(void* place, std::int64_t bytes);
  /// A multiple of kUnit. Chunks that touch are one.
  void add(void* chunk, std::int64_t bytes) { give(chunk, bytes); }

  /// Free places, for tests and for what is told of memory.
  std::size_t places() const { return by_address_.size(); }

 private:
  void insert(std::byte* place, std::int64_t bytes);
  void erase(std::map<std::byte*, std::int64_t>::iterator place);

  std::map<std::byte*, std::int64_t> by_address_;
  std::set<std::pair<std::int64_t, std::byte*>> by_size_;
};

}  // namespace oracle
