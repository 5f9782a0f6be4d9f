#pragma once
// How far has long work come, and how long will the rest take? One line on a terminal, nothing for
// the first half second and nothing left behind.          tests/cli/progress_line_test.cpp

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "oracle/cli/command.h"

namespace oracle::cli {

class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  ProgressLine(const Progress& progress, std::string_view things,
               Clock clock = std::chrono::steady_clock::now);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// To be called with (done, total); empty where no one watches.
  std::function<bool(std::int64_t, std::int64_t)> callback();

  /// Wipes the line.
  void clear();

 private:
  void show(std::int64_t done, std::int64_t total);

  std::ostream* err_;
  std::string things_;
  Clock clock_;
  std::chrono::steady_clock::time_point begin_, next_;
  bool shown_ = false;
};

}  // namespace oracle::cli
