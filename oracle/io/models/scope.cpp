#include "oracle/io/models/scope.h"

#include <algorithm>

namespace oracle {
namespace {

/// Enough to find a misspelt name, few enough to compare with each.
constexpr std::size_t kMostVisible = 4096;

}  // namespace

std::string Scope::full_name(std::string_view name) const {
  return prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
}

const Output* Names::find(const Scope& scope, std::string_view name) const {
  if (name == "input") return &scope.input;
  for (const Scope* at = &scope; at != nullptr; at = at->around) {
    const auto found = outputs_.find(at->full_name(name));
    if (found != outputs_.end()) return &found->second;
  }
  return nullptr;
}

Output Names::at(const std::string& full_name) const {
  const auto found = outputs_.find(full_name);
  return found == outputs_.end() ? Output{} : found->second;
}

std::vector<std::string> Names::visible(const Scope& scope) const {
  const std::string start = scope.prefix.empty() ? "" : scope.prefix + ".";
  std::vector<std::string> names{"input"};
  for (const auto& [name, output] : outputs_) {
    if (names.size() == kMostVisible) break;
    names.push_back(name.starts_with(start) ? name.substr(start.size()) : name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace oracle
