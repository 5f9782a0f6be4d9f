#include "oracle/io/measurements/lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace oracle {
namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_decimal_digit(text[at])) ++at;
  return at;
}

/// "[1,0]<stdout>:" → its length, or 0.
std::size_t open_mpi_mark(std::string_view line) {
  if (!line.starts_with('[')) return 0;
  const std::size_t comma = digits_from(line, 1);
  if (comma == 1 || comma >= line.size() || line[comma] != ',') return 0;
  const std::size_t bracket = digits_from(line, comma + 1);
  const std::string_view rest = line.substr(bracket);
  for (const std::string_view mark : {"]<stdout>:", "]<stderr>:"}) {
    if (rest.starts_with(mark)) return bracket + mark.size();
  }
  return 0;
}

bool is_column_name(char c) {
  return is_decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_';
}

/// "12: " of Slurm, "node3: " of pdsh → its length, or 0.
std::size_t rank_mark(std::string_view line) {
  std::size_t first = 0;
  while (first < line.size() && line[first] == ' ') ++first;
  std::size_t colon = first;
  while (colon < line.size() && is_column_name(line[colon])) ++colon;
  const bool marked = colon > first && is_decimal_digit(line[colon - 1]) && colon < line.size() &&
                      line[colon] == ':' && (colon + 1 == line.size() || line[colon + 1] == ' ');
  return marked ? std::min(colon + 2, line.size()) : 0;
}

/// "worker-0 | " of docker compose → its length, or 0.
std::size_t bar_mark(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_column_name(line[end])) ++end;
  if (end == 0 || end == line.size() || line[end] != ' ') return 0;
  while (end < line.size() && line[end] == ' ') ++end;
  if (end == line.size() || line[end] != '|') return 0;
  return std::min(end + 2, line.size());
}

/// Whether the text has the shape of a pattern in which 9 stands for any digit.
bool has_shape(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '9' ? !is_decimal_digit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

bool is_time(std::string_view text) {
  return has_shape(text, "9999-99-99T99:99:99") || has_shape(text, "9999-99-99 99:99:99");
}

/// "2024-05-01T12:00:00.5Z ", "2024-05-01 12:00:00,5 " → its length, or 0.
std::size_t time_mark(std::string_view line) {
  if (!is_time(line)) return 0;
  const std::size_t end = line.find(' ', std::string_view("9999-99-99T99:99:99").size());
  return end == std::string_view::npos ? line.size() : end + 1;
}

/// "[worker-0] ", "[pod/job-1/main] ", "[2024-05-01 12:00:00] " → its length, or 0. Open MPI itself
/// speaks as "[node07:21733] ": such a line is none of the tool's.
std::size_t bracket_mark(std::string_view line) {
  if (!line.starts_with('[')) return 0;
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos || end == 1 || end + 1 == line.size()) return 0;
  const std::string_view inside = line.substr(1, end - 1);
  const bool speaks = inside.find(':') != std::string_view::npos && !is_time(inside);
  return !speaks && is_blank(line[end + 1]) ? end + 2 : 0;
}

std::size_t mark_of(std::string_view line) {
  for (const auto mark : {open_mpi_mark, bracket_mark, time_mark, bar_mark, rank_mark}) {
    if (const std::size_t length = mark(line); length > 0) return length;
  }
  return 0;
}

/// A pod's mark may stand before a time stamp, and both before a launcher's mark.
std::string_view unmarked(std::string_view line) {
  constexpr int kMostMarks = 4;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (int i = 0; i < kMostMarks; ++i) line.remove_prefix(mark_of(line));
  return line;
}

}  // namespace

std::vector<std::string_view> printed_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.push_back(unmarked(line));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

std::string without_colors(std::string_view text) {
  constexpr std::string_view kBegin = "\x1b[";
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find(kBegin, at), text.size());
    plain += text.substr(at, begin - at);
    if (begin == text.size()) break;
    // Numbers, then the letter that ends it.
    const std::size_t end = text.find_first_not_of("0123456789;", begin + kBegin.size());
    at = end == text.npos ? text.size() : end + 1;
  }
  return plain;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t first = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > first) words.push_back(line.substr(first, at - first));
  }
  return words;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  std::size_t end = 0;  // of the word before
  std::size_t first = 0;
  for (const std::string_view word : words_of(line)) {
    const auto begin = static_cast<std::size_t>(word.data() - line.data());
    const bool apart = begin - end > 1 || (begin > end && line[end] == '\t');
    if (cells.empty() || apart) {
      first = begin;
      cells.push_back(word);
    } else {
      cells.back() = line.substr(first, begin + word.size() - first);
    }
    end = begin + word.size();
  }
  return cells;
}

std::optional<double> number_of_word(std::string_view word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> count_of_word(std::string_view word) {
  std::int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace oracle
