#pragma once
// Does a name match a pattern? "*" stands for any characters, "|" parts patterns of which one is
// to.
//
// Worked: "conv*|fc8" matches "conv1_2" and "fc8"          tests/base/pattern_test.cpp

#include <string_view>

namespace oracle {

bool matches(std::string_view pattern, std::string_view name);

}  // namespace oracle
