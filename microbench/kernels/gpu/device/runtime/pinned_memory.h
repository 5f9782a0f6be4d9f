#pragma once
// Memory of the host that the device reaches by itself: a copy from or to it needs no one to wait,
// and a kernel may write to it. Taking and giving back stop the device, so both are done outside of
// steps.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace oracle::gpu {

/// What is taken of it. Outlives it, for one thread.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  void* take(std::int64_t bytes);
  void give(void* data) noexcept;
  /// Whether an address is within what was taken and not given back.
  bool holds(const void* data) const;

 private:
  std::map<const std::byte*, std::int64_t> taken_;  ///< bytes by begin
};

/// Goes back when it is destroyed.
class PinnedBlock {
 public:
  PinnedBlock(PinnedMemory& owner, std::int64_t bytes) : owner_(owner), data_(owner.take(bytes)) {}
  ~PinnedBlock() { owner_.give(data_); }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  PinnedMemory& owner_;
  void* data_;
};

}  // namespace oracle::gpu
