#pragma once
// Which options does a strategy have that its text leaves to the framework?
//
// Those of `options` that the text does not name are put behind it.
//
// Worked: "data:8; overlap=off" with "overlap=on; bucket=64 MiB" is
// "data:8; overlap=off; bucket=64 MiB"             tests/plan/strategy/default_options_test.cpp

#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// Names of the options that a text says: "overlap" of "data:8; overlap=off".
std::vector<std::string> named_options(std::string_view text);

std::string with_default_options(std::string_view text, std::string_view options);

}  // namespace oracle
