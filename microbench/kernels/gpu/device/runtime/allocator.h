#pragma once
// How much memory of the device do the kernels hold, to the byte, and how is it lent again?
//
// Asking the driver for memory, or giving it back, stops the device. A freed block is therefore
// kept and goes to the next request that it fits: at least as large, and at most an eighth larger.
// Only where the device has no more is everything kept given back, and the request tried again.
// What counts is what was asked for, not what a block could hold. All work is on one stream, so a
// block may be lent again while a kernel that was started earlier still reads it.
//
// A recorded step works in the same blocks whenever it is replayed. Those that it was lent or gave
// back are set aside when it is over, and neither lent nor given back to the device as long as the
// recording lives.
//
// Worked: 1,000 bytes freed, 950 asked for: the same block; now 950, and nothing new is taken
//                                            tests/microbench/kernels/gpu/allocator_test.cpp

#include <cstdint>
#include <map>
#include <set>
#include <utility>
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

/// The blocks of a recorded step, which go back when it is destroyed. Moves only.
class SetAside {
 public:
  SetAside() = default;
  SetAside(Allocator& owner, std::map<void*, std::int64_t> rooms)
      : owner_(&owner), rooms_(std::move(rooms)) {}
  SetAside(SetAside&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), rooms_(std::move(other.rooms_)) {}
  SetAside& operator=(SetAside&&) = delete;
  ~SetAside();

 private:
  Allocator* owner_ = nullptr;
  std::map<void*, std::int64_t> rooms_;
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

  /// From now on nothing is taken of the device.
  void begin_recording();
  /// What was lent since is back, or this is a Defect.
  SetAside end_recording();
  /// Without a recording.
  void abandon_recording() noexcept;

  MemoryCount count() const { return {now_, peak_, takes_}; }
  void reset_peak() { peak_ = now_; }
  /// Taken of the device and lent to no one.
  std::int64_t kept() const { return kept_bytes_; }
  void give_back_kept() noexcept;

 private:
  friend class Block;
  friend class SetAside;
  void* take(std::int64_t room);
  void keep(void* data, std::int64_t room) noexcept;
  void* reuse(std::int64_t& room);
  void release(void* data, std::int64_t bytes, std::int64_t room) noexcept;

  DeviceMemory& memory_;
  std::map<std::int64_t, std::vector<void*>> kept_;  ///< by room
  std::int64_t kept_bytes_ = 0;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t takes_ = 0;
  bool recording_ = false;
  std::map<void*, std::int64_t> touched_;  ///< room of what the recorded step had
  std::set<void*> lent_;                   ///< to the recorded step, and not back
};

}  // namespace oracle::gpu
