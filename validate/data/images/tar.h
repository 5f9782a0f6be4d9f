#pragma once
// What lies in a tar archive, and where?
//
// Blocks of 512 bytes: a header, then the member's bytes filled up to whole blocks; two blocks of
// zeros end the archive (POSIX.1-2017, pax, "ustar Interchange Format"). Read besides: pax headers'
// "path" and "size", GNU tar's long names and sizes in binary. The archive stays open, and members
// are read at their offsets by any number of threads at a time.
//
// Worked: "a.cls" of 1 byte is a header at 0 and its byte at 512; the next header lies at 1024
//                                                          tests/validate/data/images/tar_test.cpp

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "validate/data/images/read_watch.h"

namespace oracle {

struct TarMember {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

class TarFile {
 public:
  /// Throws EnvironmentError where the file cannot be opened. The watch outlives the tar.
  TarFile(const std::filesystem::path& file, ReadWatch& watch);
  TarFile(const TarFile&) = delete;
  TarFile& operator=(const TarFile&) = delete;
  ~TarFile();

  const std::string& name() const { return name_; }
  /// Its regular files, in one pass over the headers. Throws InputError where it is no whole tar.
  std::vector<TarMember> members() const;
  /// Throws EnvironmentError where these bytes cannot be read.
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string name_;
  ReadWatch& watch_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace oracle
