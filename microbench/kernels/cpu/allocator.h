#pragma once
// How much memory do the kernels hold, to the byte?
//
// Everything a back end keeps or borrows (tensors, weights, gradients, optimizer state, scratch of
// oneDNN) is a MemoryBlock of its Allocator. What counts is what was asked for. What is freed stays
// in the arena for the next request, so that a step's pages are faulted in once and not every step.
//
// Worked: blocks of 100 and 60 bytes, the second freed: now 100, peak 160
//                                                  tests/microbench/kernels/cpu/allocator_test.cpp

#include <cstdint>
#include <vector>

#include "microbench/kernels/arena.h"
#include "microbench/kernels/backend.h"

namespace oracle {

class Allocator;

/// Memory on loan, aligned to a cache line; goes back when it is destroyed. Moves only.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(Allocator& owner, void* data, std::int64_t bytes)
      : owner_(&owner), data_(data), bytes_(bytes) {}
  MemoryBlock(MemoryBlock&& other) noexcept { swap(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    MemoryBlock(static_cast<MemoryBlock&&>(other)).swap(*this);
    return *this;
  }
  ~MemoryBlock();

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  std::int64_t bytes() const { return bytes_; }

 private:
  void swap(MemoryBlock& other) noexcept;

  Allocator* owner_ = nullptr;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// For one thread; outlives its blocks.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();

  /// Uninitialized memory. Throws EnvironmentError where there is none.
  MemoryBlock allocate(std::int64_t bytes);
  MemoryBlock allocate_floats(std::int64_t count) { return allocate(count * 4); }

  MemoryCount count() const { return {now_, peak_}; }
  void reset_peak() { peak_ = now_; }

 private:
  friend class MemoryBlock;
  void release(void* data, std::int64_t bytes) noexcept;
  void* grow(std::int64_t bytes);

  Arena arena_;
  std::vector<void*> chunks_;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace oracle
