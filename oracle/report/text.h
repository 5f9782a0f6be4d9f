#pragma once
// How is a line of text measured, filled and cut?
//
// Widths are columns of a terminal. The texts of this program are UTF-8 whose characters are one
// column wide each, so a width is a number of code points.
//
// Worked: display_width("± 6 %") is 5, grouped(1553) is "1,553", percent(0.004) is "0.4 %"
//                                                                     tests/report/text_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oracle::report {

std::size_t display_width(std::string_view text);

/// `text` and blanks up to `width` columns; longer texts are left as they are.
std::string padded(std::string_view text, std::size_t width, bool right);

/// `text`, or as much of it as leaves room for a final "…" in `width` columns.
std::string shortened(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// A whole number with a comma between thousands.
std::string grouped(std::int64_t number);

/// Three significant digits, whole from 100 on: "0.125", "7.52", "41.2", "1,553".
std::string significant(double number);

/// "37 %", one decimal below 10 %, "0 %" for none at all.
std::string percent(double fraction);

/// A name of the engine for people and for programs: "gradient exchange", "gradient_exchange".
std::string prose(std::string_view name);
std::string identifier(std::string_view name);

/// `1 layer`, `1,024 layers`; `plural` where an s does not do.
std::string number_of(std::int64_t count, std::string_view thing, std::string_view plural = {});

}  // namespace oracle::report
