#include "microbench/storage/descriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle {

Descriptor::Descriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : number_(open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (number_ < 0) fail_on(path, "cannot be opened");
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

void fail_on(const std::filesystem::path& path, const std::string& doing) {
  const int error = errno;
  throw EnvironmentError(path.string() + ": " + doing + ": " + std::strerror(error));
}

}  // namespace oracle
