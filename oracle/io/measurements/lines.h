#pragma once
// How is the text that a tool printed, and a launcher marked, taken apart?
//
// Launchers put the rank before each line: Open MPI's --tag-output "[1,0]<stdout>:", Slurm's
// --label "0: ", pdsh "node3: ". Pods and containers put "[worker-0] " or "worker-0 | ", and
// loggers a date and a time. Up to four marks are taken away. Lines end in "\n" or "\r\n".
//
// Worked: "[1,0]<stdout>:   8  2  float" has the words 8, 2 and float
//                                                   tests/io/measurements/lines_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// The lines of a text, without what a launcher put before them.
std::vector<std::string_view> printed_lines(std::string_view text);

/// Without escape sequences of terminals, "\x1b[32m": docker compose and stern color a name.
std::string without_colors(std::string_view text);

std::vector<std::string_view> words_of(std::string_view line);

/// Cells that at least two blanks, or a tab, keep apart: "Avg Latency(us)" is one.
std::vector<std::string_view> cells_of(std::string_view line);

/// The whole word as a number that is finite; nothing else.
std::optional<double> number_of_word(std::string_view word);
std::optional<std::int64_t> count_of_word(std::string_view word);

}  // namespace oracle
