#pragma once
// How much memory of the device do the kernels hold, to the byte, and how is it lent again?
//
// Asking the driver for memory, or giving it back, stops the device. A freed block is therefore
// kept and goes to the next request that it fits: at least as large, and at most an eighth larger.
// Only where the device has no more is everything kept given back, and the request tried again.
// What counts is what was asked for, not what a block could hold. All work is on one stream, so a
// block may be lent again while a kernel that was started earlier still reads it.
//
// Worked: 1,000 bytes freed, 950 asked for: the same block; now 950, and nothing new is taken
//                                            tests/microbench/kernels/gpu/allocator_test.cpp

#include <cstdint>
#include <map>
#include <vector>

#include "microbench/kernels/backend.h"

namespace oracle::gpu {

/// Where memory comes from: the device's, or a test's.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Null where there is none; aligned to 256 bytes.
  virtual void* take(std::int64_t bytes) = 0;
  virtual void give(void* data) noexcept = 0;

 protected:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
};

class Allocator;

/// Memory on loan; goes back when it is destroyed. Moves only.
class Block {
 public:
  Block() = default;
  Block(Allocator& owner, void* data, std::int64_t bytes, std::int64_t room)
      : owner_(&owner), data_(data), bytes_(bytes), room_(room) {}
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    Block(static_cast<Block&&>(other)).swap(*this);
    return *this;
  }
  ~Block();

  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  float* floats() const { return as<float>(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  void swap(Block& other) noexcept;

  Allocator* owner_ = nullptr;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t room_ = 0;  ///< what was taken of the device
};

/// For one thread; outlives its blocks, and the memory outlives it.
class Allocator {
 public:
  explicit Allocator(DeviceMemory& memory) : memory_(memory) {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();

  /// Uninitialized memory. Throws EnvironmentError where there is none.
  Block allocate(std::int64_t bytes);

  MemoryCount count() const { return {now_, peak_}; }
  void reset_peak() { peak_ = now_; }
  /// Taken of the device and lent to nobody.
  std::int64_t kept() const { return kept_bytes_; }
  void give_back_kept() noexcept;

 private:
  friend class Block;
  void* reuse(std::int64_t& room);
  void release(void* data, std::int64_t bytes, std::int64_t room) noexcept;

  DeviceMemory& memory_;
  std::map<std::int64_t, std::vector<void*>> kept_;  ///< by room
  std::int64_t kept_bytes_ = 0;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace oracle::gpu
