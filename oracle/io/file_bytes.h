#pragma once
// What does a file hold, up to as much as its reader takes?

#include <cstddef>
#include <filesystem>
#include <string>

namespace oracle {

/// The bytes of `file`; reading stops once there are more than `most`, so that the caller can tell
/// a file that is too large without holding all of it. Throws EnvironmentError when the file is a
/// folder or cannot be read.
std::string read_bytes(const std::filesystem::path& file, std::size_t most);

}  // namespace oracle
