#include "oracle/plan/strategy/default_options.h"

#include <algorithm>

namespace oracle {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Calls `take` with each part between semicolons.
template <typename Take>
void each_part(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    take(without_blanks(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// What stands before '='; empty of a mesh.
std::string_view name_of_part(std::string_view part) {
  const std::size_t equals = part.find('=');
  return equals == std::string_view::npos ? std::string_view{}
                                          : without_blanks(part.substr(0, equals));
}

bool names(std::string_view text, std::string_view option) {
  bool found = false;
  each_part(text, [&](std::string_view part) { found = found || name_of_part(part) == option; });
  return found;
}

}  // namespace

std::string with_default_options(std::string_view text, std::string_view options) {
  std::string whole(text);
  each_part(options, [&](std::string_view part) {
    if (!part.empty() && !names(text, name_of_part(part))) whole.append("; ").append(part);
  });
  return whole;
}

}  // namespace oracle
