#pragma once
// What the emulated device says of itself.

namespace oracle::emulated {

/// Compute capability; a test may change it.
struct Capability {
  int major = 9, minor = 0;
};
Capability& capability();

}  // namespace oracle::emulated
