#pragma once
// How does an answer reach its reader, whole or not at all?        tests/cli/output_test.cpp

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace oracle::cli {

/// Writes `text` to a temporary file beside `file` and renames it, so that nobody ever sees half of
/// it. What is no regular file (a pipe, /dev/null) is written directly. Throws EnvironmentError.
void write_file(const std::filesystem::path& file, std::string_view text);

/// The same of what `produce` writes piece by piece.
using Sink = std::function<void(std::string_view)>;
void write_file(const std::filesystem::path& file,
                const std::function<void(const Sink& write)>& produce);

/// Writes and flushes. A reader that has gone is no error; throws EnvironmentError for a full disk
/// or a closed stream.
void write_stream(std::ostream& out, std::string_view text);

}  // namespace oracle::cli
