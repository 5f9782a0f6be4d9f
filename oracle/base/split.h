#pragma once
// Of which parts is a text made?
//
// Worked: " a ; b" at ';' is " a " and " b", trimmed "a" and "b"; "" is one part, which is empty
//                                                                       tests/base/split_test.cpp

#include <string_view>
#include <vector>

namespace oracle {

/// Without the blanks at both ends.
std::string_view trim(std::string_view text);

/// Calls `visit` with each part between separators; one more than there are separators.
template <typename Visit>
void for_each_part(std::string_view text, char separator, const Visit& visit) {
  while (true) {
    const std::size_t at = text.find(separator);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

/// All of them.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Each of them trimmed.
std::vector<std::string_view> split_trimmed(std::string_view text, char separator);

}  // namespace oracle
