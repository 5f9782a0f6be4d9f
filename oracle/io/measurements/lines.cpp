#include "oracle/io/measurements/lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace oracle {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
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

/// "12: " → its length, or 0.
std::size_t slurm_mark(std::string_view line) {
  std::size_t first = 0;
  while (first < line.size() && line[first] == ' ') ++first;
  const std::size_t colon = digits_from(line, first);
  const bool marked = colon > first && colon < line.size() && line[colon] == ':' &&
                      (colon + 1 == line.size() || line[colon + 1] == ' ');
  return marked ? colon + 1 : 0;
}

std::string_view unmarked(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t mark = open_mpi_mark(line);
  line.remove_prefix(mark > 0 ? mark : slurm_mark(line));
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
