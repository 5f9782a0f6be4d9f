#pragma once
// Where do the streams of this process lead, and how wide may a line be?
//
// Worked: COLUMNS=120 is 120; without it the terminal's own width counts, and 80 where none is
// known
//                                                                 tests/cli/terminal_test.cpp

#include <cstddef>

#include "oracle/cli/run.h"

namespace oracle::cli {

/// `columns` is the value of COLUMNS, or null; `terminal` the width that the terminal states, or 0.
std::size_t width_of(const char* columns, std::size_t terminal);

/// Of standard output and standard error, with NO_COLOR and COLUMNS.
Terminal this_terminal();

}  // namespace oracle::cli
