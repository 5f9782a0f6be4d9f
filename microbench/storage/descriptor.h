#pragma once
// A file that is open, and closed with its owner.  tests/microbench/storage/files_test.cpp

#include <filesystem>
#include <string>

namespace oracle {

class Descriptor {
 public:
  /// `flags` and `mode` of open(2). Throws EnvironmentError.
  Descriptor(const std::filesystem::path& path, int flags, unsigned mode = 0);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// Throws EnvironmentError: what could not be done with which file, and why by errno.
[[noreturn]] void fail_on(const std::filesystem::path& path, const std::string& doing);

}  // namespace oracle
