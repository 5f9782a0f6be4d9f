#include "oracle/report/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace oracle::report {
namespace {

/// Whether a byte continues a code point of UTF-8.
bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::string fixed(double number, int decimals) {
  std::array<char, 352> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, number);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

/// Beyond this, whole numbers of an int64 end.
constexpr double kMostGrouped = 9e18;

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues(byte); }));
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t has = display_width(text);
  const std::string blanks(has < width ? width - has : 0, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++columns == std::max<std::size_t>(width, 1)) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > sign + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string significant(double number) {
  const double magnitude = std::abs(number);
  if (!(magnitude < kMostGrouped)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  if (magnitude >= 99.95) return grouped(std::llround(number));
  if (number == 0) return "0";
  if (magnitude < 1e-6) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2e", number);
    return buffer.data();
  }
  int decimals = 1;
  for (double bound = 9.995; magnitude < bound; bound /= 10) ++decimals;
  return fixed(number, decimals);
}

std::string percent(double fraction) {
  const double hundredths = fraction * 100;
  if (hundredths == 0) return "0 %";
  if (hundredths > 0 && hundredths < 0.05) return "< 0.1 %";
  return fixed(hundredths, std::abs(hundredths) < 9.95 ? 1 : 0) + " %";
}

std::string prose(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string identifier(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

std::string number_of(std::int64_t count, std::string_view thing, std::string_view plural) {
  const std::string number = grouped(count) + " ";
  if (count == 1) return number + std::string(thing);
  return number + (plural.empty() ? std::string(thing) + "s" : std::string(plural));
}

}  // namespace oracle::report
