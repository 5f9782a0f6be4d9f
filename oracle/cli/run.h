#pragma once
// What does the command answer, and with which exit code?
//
//   0   answered
//   1   infeasible: nothing fits
//   2   not understood: usage, or an input that contradicts itself
//   3   the surroundings failed: a file cannot be read or written
//   70  our own defect
//
// Answers go to `out`, everything else to `err`. Worked: {"list", "model"} writes
// `oracle: list: …; did you mean "models"?` to err and returns 2          tests/cli/run_test.cpp

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>

#include "oracle/base/exit_code.h"

namespace oracle::cli {

struct Command;

/// Columns of a line where nothing says how wide the reader's are.
inline constexpr std::size_t kUsualWidth = 80;

/// What the streams lead to.
struct Terminal {
  bool out = false;       ///< `out` is a terminal
  bool err = false;       ///< `err` is a terminal
  bool no_color = false;  ///< NO_COLOR is set and not empty
  std::size_t width = kUsualWidth;
};

/// `args` are the words after the program's name. Never throws.
int run(std::span<const char* const> args, std::ostream& out, std::ostream& err,
        const Terminal& terminal = {});

/// The same of one command; `args` are the words after its name.
int run(const Command& command, std::span<const char* const> args, std::ostream& out,
        std::ostream& err, const Terminal& terminal = {});

/// A program that is one command: its help or version where that is asked for, else what `answer`
/// returns or what it means that it throws, said on `err` in the program's name.
int run_program(const Command& command, std::span<const char* const> args, std::ostream& out,
                std::ostream& err, const std::function<ExitCode()>& answer);

}  // namespace oracle::cli
