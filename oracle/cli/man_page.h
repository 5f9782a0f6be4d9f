#pragma once
// What does the manual page say? Everything of the help texts, as `man` wants it.
//                                                                tests/cli/man_page_test.cpp

#include <string>

namespace oracle::cli {

/// oracle(1) in the macros of man(7), without a date: the same build writes the same page.
std::string man_page();

}  // namespace oracle::cli
