#include "oracle/base/in_quotes.h"

#include <cstddef>

namespace oracle {
namespace {

constexpr std::size_t kShown = 60;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string on_one_line(std::string_view text) {
  std::size_t end = text.size();
  if (end > kShown) {
    end = kShown;
    while (end > 0 && is_continuation(text[end])) --end;
  }
  std::string shown;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  if (end < text.size()) shown += "…";
  return shown;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool two = byte == 0xC2 && i + 1 < text.size();
    const auto next = two ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (next >= 0x80 && next <= 0x9F) ++i;
    const bool obeyed = byte < 0x20 || byte == 0x7F || (next >= 0x80 && next <= 0x9F);
    shown += obeyed ? '?' : text[i];
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return '"' + on_one_line(text) + '"'; }

}  // namespace oracle
