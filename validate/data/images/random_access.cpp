#include "validate/data/images/random_access.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw EnvironmentError(name + ": cannot be read: " + reason);
}

class File : public RandomAccess {
 public:
  explicit File(std::string name)
      : name_(std::move(name)), descriptor_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(name_, std::strerror(errno));
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      fail(name_, "it is no regular file");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() override { ::close(descriptor_); }

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    while (!to.empty()) {
      const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(name_, std::strerror(errno));
      if (got == 0) fail(name_, "it has become shorter");
      offset += static_cast<std::uint64_t>(got);
      to = to.subspan(static_cast<std::size_t>(got));
    }
  }

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

class Memory : public RandomAccess {
 public:
  Memory(std::string name, std::string bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }

  void read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    if (offset > size() || to.size() > size() - offset) fail(name_, "it has become shorter");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
  }

 private:
  std::string name_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<RandomAccess> open_file(const std::filesystem::path& file) {
  return std::make_unique<File>(file.string());
}

std::unique_ptr<RandomAccess> in_memory(std::string name, std::string bytes) {
  return std::make_unique<Memory>(std::move(name), std::move(bytes));
}

}  // namespace oracle
