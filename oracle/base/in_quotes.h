#pragma once
// How is foreign text shown in a message?
//
// In double quotes, on one line, never longer than a line: control characters become '?', bytes
// past the 60th give way to "…".
//
// Worked: a tab and 100 letters → "?aaa…" with 59 letters tests/base/in_quotes_test.cpp

#include <string>
#include <string_view>

namespace oracle {

std::string in_quotes(std::string_view text);

/// The same without the quotes.
std::string on_one_line(std::string_view text);

/// All of the text without what a terminal obeys: control characters, those of two bytes in UTF-8
/// as well, become '?'.
std::string printable(std::string_view text);

}  // namespace oracle
