#include "microbench/storage/files.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "microbench/storage/descriptor.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// Pages that are mapped, and unmapped with their owner.
class Mapping {
 public:
  Mapping(const Descriptor& file, std::size_t bytes)
      : bytes_(bytes), at_(mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file.number(), 0)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (at_ != MAP_FAILED) munmap(at_, bytes_);
  }
  void* at() const { return at_; }

 private:
  std::size_t bytes_;
  void* at_;
};

}  // namespace

std::vector<StoredFile> files_below(const fs::path& path) {
  std::vector<StoredFile> files;
  try {
    if (fs::is_regular_file(path)) files.push_back({path, fs::file_size(path)});
    if (fs::is_directory(path)) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back({entry.path(), entry.file_size()});
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw EnvironmentError(path.string() + ": " + error.code().message());
  }
  std::erase_if(files, [](const StoredFile& file) { return file.bytes == 0; });
  if (files.empty()) {
    throw InputError(path.string(), "holds no file with anything in it",
                     "name a folder of images, or a tar of them");
  }
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.path < b.path; });
  return files;
}

void drop_from_memory(const StoredFile& file) {
  const Descriptor open_file(file.path, O_RDONLY);
  // Only what is on the medium can be dropped. A file system that refuses is seen by mincore().
  fdatasync(open_file.number());
  posix_fadvise(open_file.number(), 0, 0, POSIX_FADV_DONTNEED);
}

double share_in_memory(const StoredFile& file) {
  const Descriptor open_file(file.path, O_RDONLY);
  const auto bytes = static_cast<std::size_t>(file.bytes);
  const Mapping mapping(open_file, bytes);
  if (mapping.at() == MAP_FAILED) fail_on(file.path, "cannot be mapped");
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  if (mincore(mapping.at(), bytes, pages.data()) != 0) fail_on(file.path, "cannot be asked about");
  const auto there = std::count_if(pages.begin(), pages.end(),
                                   [](unsigned char state) { return (state & 1U) != 0; });
  return static_cast<double>(there) / static_cast<double>(pages.size());
}

}  // namespace oracle
