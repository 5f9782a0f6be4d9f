#pragma once
// What does a program's exit status say?

namespace oracle {

enum class ExitCode : int {
  answered = 0,
  no = 1,
  not_understood = 2,
  surroundings = 3,
  defect = 70
};

/// For what ends a process, or waited for one.
inline constexpr int status_of(ExitCode code) { return static_cast<int>(code); }

}  // namespace oracle
