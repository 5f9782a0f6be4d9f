#pragma once
// How does a kernel say that it met a value that it cannot take: a class or a row that there is
// none of?
//
// The device writes it down where the host can read it, and goes on. The host looks when it has
// waited for the device anyway, so that no pass waits on its account; what the passes between made
// of the value is never used.       tests/microbench/kernels/loss_test.cpp

#include <cstdint>
#include <functional>
#include <list>

#include "microbench/kernels/gpu/device/runtime/pinned_memory.h"

namespace oracle::gpu {

/// Written by kernels; of several values one.
struct Fault {
  std::int32_t found = 0;
  float value = 0;
};

/// The faults of all kernels of a context, which outlives them.
class Faults {
 public:
  /// Throws the error that the value means.
  using Refuse = std::function<void(float value)>;

  /// One kernel's, until it is destroyed.
  class Entry {
   public:
    Entry(Faults& faults, PinnedMemory& memory, Refuse refuse);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// For the device.
    Fault* data() const { return memory_.as<Fault>(); }

   private:
    friend class Faults;
    Faults& faults_;
    PinnedBlock memory_;
    Refuse refuse_;
  };

  /// With the device's work complete: refuses what was found, and forgets it.
  void look();

 private:
  std::list<Entry*> entries_;
};

}  // namespace oracle::gpu
