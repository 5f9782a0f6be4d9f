#include "oracle/graph/attributes.h"

#include <algorithm>
#include <limits>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

/// For a message.
std::string what_was_written(const AttributeValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* word = std::get_if<std::string>(&value)) return in_quotes(*word);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return "a list of " + std::to_string(std::get<std::vector<std::int64_t>>(value).size());
}

[[noreturn]] void refuse(std::string_view name, const AttributeValue& value,
                         const std::string& expected) {
  throw InputError("",
                   in_quotes(name) + " is " + what_was_written(value) + " and must be " + expected);
}

std::int64_t in_range(std::string_view name, std::int64_t value, std::int64_t least) {
  if (value < least || value > kMost) {
    throw InputError("", in_quotes(name) + " is " + std::to_string(value) +
                             " and must be an integer from " + std::to_string(least) + " to " +
                             std::to_string(kMost));
  }
  return value;
}

}  // namespace

void Attributes::set(std::string name, AttributeValue value) {
  values_.emplace_back(std::move(name), std::move(value));
}

const AttributeValue* Attributes::find(std::string_view name) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == values_.end() ? nullptr : &found->second;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t least) const {
  const AttributeValue* value = find(name);
  if (value == nullptr) {
    throw InputError("", in_quotes(name) + " is missing",
                     "add " + in_quotes(name) + ", an integer from " + std::to_string(least));
  }
  const auto* whole = std::get_if<std::int64_t>(value);
  if (whole == nullptr) refuse(name, *value, "an integer");
  return in_range(name, *whole, least);
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t least,
                                 std::int64_t fallback) const {
  return find(name) == nullptr ? fallback : integer(name, least);
}

bool Attributes::flag(std::string_view name, bool fallback) const {
  const AttributeValue* value = find(name);
  if (value == nullptr) return fallback;
  const auto* flag = std::get_if<bool>(value);
  if (flag == nullptr) refuse(name, *value, "true or false");
  return *flag;
}

std::size_t Attributes::choice(std::string_view name,
                               const std::vector<std::string>& choices) const {
  const AttributeValue* value = find(name);
  if (value == nullptr) return 0;
  const auto* word = std::get_if<std::string>(value);
  if (word == nullptr) refuse(name, *value, "a word such as " + in_quotes(choices.front()));
  const auto found = std::find(choices.begin(), choices.end(), *word);
  if (found == choices.end()) {
    throw InputError("", in_quotes(name) + " is " + in_quotes(*word) + ", which is not known",
                     suggestion(*word, choices));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<std::int64_t> Attributes::extents(std::string_view name, std::size_t rank,
                                              std::int64_t least, std::int64_t fallback) const {
  const AttributeValue* value = find(name);
  if (value == nullptr) return std::vector<std::int64_t>(rank, fallback);
  if (const auto* whole = std::get_if<std::int64_t>(value)) {
    return std::vector<std::int64_t>(rank, in_range(name, *whole, least));
  }
  const auto* list = std::get_if<std::vector<std::int64_t>>(value);
  if (list == nullptr) refuse(name, *value, "an integer, or one per spatial axis");
  if (list->size() != rank) {
    throw InputError("",
                     in_quotes(name) + " has " + std::to_string(list->size()) +
                         " entries and the network has " + std::to_string(rank) + " spatial axes",
                     "write one number, or one per axis");
  }
  for (const std::int64_t entry : *list) in_range(name, entry, least);
  return *list;
}

}  // namespace oracle
