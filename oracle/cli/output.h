#pragma once
// How does an answer reach the stream of its reader?                 tests/cli/output_test.cpp

#include <iosfwd>
#include <string_view>

namespace oracle::cli {

/// Writes and flushes. A reader that has gone is no error; throws EnvironmentError for a full disk
/// or a closed stream.
void write_stream(std::ostream& out, std::string_view text);

}  // namespace oracle::cli
