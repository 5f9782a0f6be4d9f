#include "oracle/cli/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "oracle/base/quantity_text.h"

namespace oracle::cli {
namespace {

/// Narrower than this, no line holds more than a word.
constexpr std::size_t kNarrowest = 40;
constexpr std::int64_t kWidest = 10'000;

std::size_t stated_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::size_t width_of(const char* columns, std::size_t terminal) {
  std::size_t width = terminal > 0 ? terminal : kUsualWidth;
  try {
    if (columns != nullptr) width = static_cast<std::size_t>(parse_count(columns, 1, kWidest));
  } catch (const QuantityError&) {
    // Shells may set it to nothing: as if it were not there.
  }
  return std::max(width, kNarrowest);
}

Terminal this_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  return {.out = isatty(STDOUT_FILENO) == 1,
          .err = isatty(STDERR_FILENO) == 1,
          .no_color = no_color != nullptr && *no_color != '\0',
          .width = width_of(std::getenv("COLUMNS"), stated_width())};
}

}  // namespace oracle::cli
