#pragma once
// The memory of a device that is none: reserved address space that can be read and written while a
// DeviceAccess lives (microbench/kernels/gpu/device/parallel.h), and ends the program else.

#include <cstddef>

namespace oracle::emulated {

/// Null where there is none left.
void* take(std::size_t bytes);
void give(void* data);
bool is_device(const void* data);

}  // namespace oracle::emulated
