#include "oracle/plan/strategy/default_options.h"

#include <algorithm>

#include "oracle/base/split.h"

namespace oracle {
namespace {

/// What stands before '='; empty of a mesh.
std::string_view name_of_part(std::string_view part) {
  const std::size_t equals = part.find('=');
  return equals == std::string_view::npos ? std::string_view{} : trim(part.substr(0, equals));
}

}  // namespace

std::string with_default_options(std::string_view text, std::string_view options) {
  const std::vector<std::string_view> own = split_trimmed(text, ';');
  std::string whole(text);
  for (const std::string_view option : split_trimmed(options, ';')) {
    const bool named = std::any_of(own.begin(), own.end(), [&](std::string_view part) {
      return name_of_part(part) == name_of_part(option);
    });
    if (!option.empty() && !named) whole.append("; ").append(option);
  }
  return whole;
}

}  // namespace oracle
