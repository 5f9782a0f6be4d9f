#include "oracle/io/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "oracle/base/error.h"

namespace oracle {

std::string read_bytes(const std::filesystem::path& file, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw EnvironmentError(file.string() + ": is a folder; name a file in it");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw EnvironmentError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  std::string bytes;
  // Not on the stack, which may be small (ulimit -s).
  std::vector<char> chunk(std::size_t{64} << 10U);
  while (stream && bytes.size() <= most) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw EnvironmentError(file.string() + ": reading failed; check the disk");
  return bytes;
}

}  // namespace oracle
