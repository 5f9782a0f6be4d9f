#pragma once
// What does a text of /proc say under a key?
//
// Worked: of "MemTotal:       16384000 kB" the field "MemTotal" is "16384000 kB", the number in
// front of it 16384000                                     tests/io/machine/proc_text_test.cpp

#include <cstdint>
#include <string_view>

namespace oracle {

/// The text after `key` and its colon, on the first line that starts with it; empty if there is
/// none.
std::string_view proc_field(std::string_view text, std::string_view key);

/// The number in front of a field, or 0 where there is none that is positive and below 1e15.
double proc_number(std::string_view text);

/// Processors that this process may run on, at least 1.
std::int64_t usable_processors();

}  // namespace oracle
