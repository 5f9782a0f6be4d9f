#pragma once
// Which files hold a set of samples, and are their bytes in memory?
//
// Linux keeps what it read or wrote in its page cache, so what is read again is read from memory.
// A file's pages are dropped by fdatasync() and posix_fadvise(POSIX_FADV_DONTNEED), which asks and
// does not command: file systems in memory keep them, and others may. So it is asked for every
// page, by mincore(), whether it is there.        tests/microbench/storage/files_test.cpp

#include <cstdint>
#include <filesystem>
#include <vector>

namespace oracle {

struct StoredFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

/// The file, or all regular files below the folder in the order of their names; none is empty.
/// Throws InputError where there is none, EnvironmentError where it cannot be listed.
std::vector<StoredFile> files_below(const std::filesystem::path& path);

/// Throws EnvironmentError where the file cannot be opened.
void drop_from_memory(const StoredFile& file);

/// The share of the file's pages that are in memory, 0 to 1. Throws EnvironmentError where it
/// cannot be told.
double share_in_memory(const StoredFile& file);

}  // namespace oracle
