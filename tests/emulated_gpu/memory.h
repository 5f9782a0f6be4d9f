#pragma once
// The memory of a device that is none: reserved address space that can be read and written while
// it is open, and ends the program else; and memory of the host that is pinned.

#include <cstddef>
#include <cstdint>

namespace oracle::emulated {

/// Null where there is none left.
void* take(std::size_t bytes);
void give(void* data);
bool is_device(const void* data);

void* take_pinned(std::size_t bytes);
void give_pinned(void* data);
bool is_pinned(const void* data);

/// The number of the allocation, of either memory, that holds an address; no two have one. 0: none.
std::uint64_t allocation_of(const void* data);

/// As many times as it was opened it is closed.
void open_memory();
void close_memory();

class Opened {
 public:
  Opened() { open_memory(); }
  ~Opened() { close_memory(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

}  // namespace oracle::emulated
