#pragma once
// What does a key of a transformer's configuration say, where it may be absent or null?

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/models/transformers/types.h"

namespace oracle::transformers {

/// More layers, heads or features than any network has.
inline constexpr std::int64_t kMostLayers = 1'000, kMostExtent = 1 << 24, kMostSequence = 1 << 26;

/// The row of the type that the document has as "model_type". Throws InputError, with the nearest
/// name, where there is none.
const Type& type_of(const json::Document& document);

/// Keys of one document; each getter records a problem where a number is out of range.
class ConfigKeys {
 public:
  ConfigKeys(const json::Document& document, json::Problems& problems)
      : root_(document.root),
        problems_(problems),
        keys_(root_, "", problems),
        type_(type_of(document)) {}

  const Type& type() const { return type_; }
  bool is(std::string_view name) const { return type_.name == name; }
  bool of_type(std::string_view family) const { return type_.name.starts_with(family); }
  json::ObjectReader& keys() { return keys_; }
  const json::Node& root() const { return root_; }

  /// Written, and not as null.
  bool says(std::string_view key) const;
  std::int64_t count(std::string_view key, std::int64_t most = kMostExtent) {
    return keys_.integer(key, 1, most);
  }
  std::int64_t count_or(std::string_view key, std::int64_t fallback, std::int64_t least = 1) {
    return says(key) ? keys_.integer(key, least, kMostExtent) : fallback;
  }
  /// Whether one of these is written and above 0.
  bool drops(std::initializer_list<const char*> rates);
  bool flag_or(std::string_view key, bool fallback) {
    return says(key) ? keys_.boolean(key, fallback) : fallback;
  }
  /// A part from 0 to 1, of the file or, as newer ones have it, of its "rope_parameters"; 1.
  double of_rope(std::string_view key);
  /// A list of numbers from 1 to `most`. Where `sides` is not 0 it has as many, and one number
  /// stands for all of them.
  std::vector<std::int64_t> counts(std::string_view key, std::int64_t most, std::size_t sides = 0);
  /// "head_dim", or as many features as `heads` divide `hidden` into.
  std::int64_t head_size(std::int64_t hidden, std::int64_t heads);

 private:
  const json::Node& root_;
  json::Problems& problems_;
  json::ObjectReader keys_;
  const Type& type_;
};

}  // namespace oracle::transformers
