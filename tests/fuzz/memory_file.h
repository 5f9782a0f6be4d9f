#pragma once
// A file for readers that open one.

#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle::fuzz {

/// A file that lies in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("seed", MFD_CLOEXEC)) {
    const ssize_t put = write(descriptor_, bytes.data(), bytes.size());
    ensure(put == static_cast<ssize_t>(bytes.size()), "memory takes a file of these bytes");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace oracle::fuzz
