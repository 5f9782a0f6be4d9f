#pragma once
// How is a member taken from a file of another tool, which may leave it out or give it another
// form?
//                                                          tests/io/json/lenient_test.cpp

#include <optional>
#include <string>
#include <string_view>

#include "oracle/io/json/document.h"

namespace oracle::json {

/// The member of this type, or nullptr: of what is not an object too.
const Node* member(const Node& node, std::string_view key, Type type);
/// Empty where it is not a string.
std::string text(const Node& node, std::string_view key);
/// An integer or a real number.
std::optional<double> number(const Node& node, std::string_view key);

}  // namespace oracle::json
