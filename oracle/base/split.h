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

/// The parts between separators; one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Each of them trimmed.
std::vector<std::string_view> split_trimmed(std::string_view text, char separator);

}  // namespace oracle
