#pragma once
// What was written about a layer: named values, before its kind gives them meaning.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace oracle {

/// A whole number, a list of them (one per spatial axis), a word or a yes/no.
using AttributeValue = std::variant<std::int64_t, std::vector<std::int64_t>, std::string, bool>;

/// Attributes in the order written. Getters throw InputError with an empty place (the builder adds
/// it) when a value has the wrong type or is out of range.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, AttributeValue>> values)
      : values_(values) {}

  void set(std::string name, AttributeValue value);
  const AttributeValue* find(std::string_view name) const;
  const std::vector<std::pair<std::string, AttributeValue>>& all() const { return values_; }

  /// Whole number in [least, 2^31); the first form requires it to be present.
  std::int64_t integer(std::string_view name, std::int64_t least) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t fallback) const;
  bool flag(std::string_view name, bool fallback) const;
  /// One of `choices`; returns its index. The first is the default.
  std::size_t choice(std::string_view name, const std::vector<std::string>& choices) const;
  /// One value for each of `rank` spatial axes: a number is repeated, a list must have `rank`
  /// entries.
  std::vector<std::int64_t> extents(std::string_view name, std::size_t rank, std::int64_t least,
                                    std::int64_t fallback) const;

 private:
  std::vector<std::pair<std::string, AttributeValue>> values_;
};

}  // namespace oracle
