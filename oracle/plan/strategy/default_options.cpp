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

std::vector<std::string> named_options(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : split_trimmed(text, ';')) {
    if (!name_of_part(part).empty()) names.emplace_back(name_of_part(part));
  }
  return names;
}

std::string with_default_options(std::string_view text, std::string_view options) {
  const std::vector<std::string> own = named_options(text);
  std::string whole(text);
  for (const std::string_view option : split_trimmed(options, ';')) {
    const bool named = std::find(own.begin(), own.end(), name_of_part(option)) != own.end();
    if (!option.empty() && !named) whole.append("; ").append(option);
  }
  return whole;
}

}  // namespace oracle
