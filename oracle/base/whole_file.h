#pragma once
// How does a file come to be, whole or not at all?            tests/base/whole_file_test.cpp

#include <filesystem>
#include <functional>
#include <string_view>

namespace oracle {

/// Writes `text` to a temporary file beside `file` and renames it, so that no one ever sees half of
/// it. What is no regular file (a pipe, /dev/null) is written directly. Throws EnvironmentError.
void write_file(const std::filesystem::path& file, std::string_view text);

/// The same of what `produce` writes piece by piece.
using Sink = std::function<void(std::string_view)>;
void write_file(const std::filesystem::path& file,
                const std::function<void(const Sink& write)>& produce);

/// Throws what write_file would, before the work whose result is to be written.
void require_writable(const std::filesystem::path& file);

}  // namespace oracle
