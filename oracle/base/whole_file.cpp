#include "oracle/base/whole_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// How many letters mkstemp replaces.
constexpr std::size_t kRandomLetters = 6;

[[noreturn]] void fail(const std::string& what, int error) {
  throw EnvironmentError(what + ": " + std::strerror(error));
}

constexpr mode_t kPermissions = 07777;

mode_t mode_of(const std::string& name) {
  struct stat there = {};
  if (::stat(name.c_str(), &there) == 0) return there.st_mode & kPermissions;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// A descriptor that is closed, and a file that is removed unless it was kept.
class OpenFile {
 public:
  explicit OpenFile(int descriptor, std::string temporary = {})
      : descriptor_(descriptor), temporary_(std::move(temporary)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(std::string_view text, const std::string& name) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write " + name, errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Gives the finished file its name and the mode of the file that it replaces, or of a new one.
  void keep_as(const std::string& name) {
    if (::fchmod(descriptor_, mode_of(name)) != 0 || ::fsync(descriptor_) != 0 ||
        ::rename(temporary_.c_str(), name.c_str()) != 0) {
      fail("cannot write " + name, errno);
    }
    temporary_.clear();
  }

 private:
  int descriptor_;
  std::string temporary_;
};

/// What a chain of links leads to: renaming onto a link would replace the link.
fs::path target_of(const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  return error ? file : target;
}

}  // namespace

void require_writable(const fs::path& file) {
  const fs::path target = target_of(file);
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  if (fs::is_directory(status)) fail("cannot write " + target.string(), EISDIR);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const int failed =
      direct ? ::access(target.c_str(), W_OK) : ::access(folder.c_str(), W_OK | X_OK);
  if (failed != 0) fail("cannot write " + target.string(), errno);
}

void write_file(const fs::path& file, std::string_view text) {
  write_file(file, [text](const Sink& write) { write(text); });
}

void write_file(const fs::path& file, const std::function<void(const Sink& write)>& produce) {
  const std::string name = target_of(file).string();
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const OpenFile direct(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    produce([&](std::string_view text) { direct.write(text, name); });
    return;
  }
  std::string temporary = name + "." + std::string(kRandomLetters, 'X');
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) fail("cannot write " + name, errno);
  OpenFile partial(descriptor, temporary);
  produce([&](std::string_view text) { partial.write(text, name); });
  partial.keep_as(name);
}

}  // namespace oracle
