#pragma once
// How is an object of a sample file read, with units from the names of its members?
//
// A getter records a problem at the member's place where it is missing, of the wrong type or out of
// range, and returns a harmless value. What no getter asked for is refused (what a case asks) or
// counted (what it found: a newer measuring program may say more).
//
// Worked: "fwd_us": [14.81, 14.69, 15.57, 14.64] → a device median of 14.81 us
//                                                            tests/io/samples/torch_cpu_test.cpp

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/samples/sample.h"

namespace oracle::samples {

inline constexpr Seconds kMicrosecond{1e-6};
inline constexpr Seconds kMillisecond{1e-3};
inline constexpr std::int64_t kMostCount = (std::int64_t{1} << 53) - 1;

class Fields {
 public:
  Fields(const json::Node& node, std::string pointer, json::Problems& problems)
      : node_(node), problems_(problems), object_(node, std::move(pointer), problems) {}

  /// Whether the member is there and is not null.
  bool has(std::string_view key);

  std::string text(std::string_view key);
  std::string text_or_empty(std::string_view key);  ///< a number is taken as its text
  bool flag(std::string_view key);
  bool flag_or_false(std::string_view key);
  std::int64_t count(std::string_view key, std::int64_t least = 1);
  std::optional<std::int64_t> count_if_any(std::string_view key);
  std::vector<std::int64_t> extents(std::string_view key, std::int64_t least = 1);
  double positive(std::string_view key);
  std::optional<double> number_if_any(std::string_view key);
  Bytes bytes(std::string_view key) { return Bytes{static_cast<double>(count(key, 0))}; }
  std::optional<Bytes> bytes_if_any(std::string_view key);

  Seconds time(std::string_view key, Seconds unit) { return unit * positive(key); }
  std::optional<Seconds> time_if_any(std::string_view key, Seconds unit);
  Spread spread(std::string_view key, Seconds unit);                        ///< three numbers
  std::optional<Spread> spread_if_any(std::string_view key, Seconds unit);  ///< absent: none
  Timing timing(std::string_view key);  ///< four numbers of microseconds
  std::map<std::string, std::string> texts(std::string_view key);
  std::vector<std::string> list_of_texts(std::string_view key);

  /// The value that the member's text names.
  template <typename Value, std::size_t N>
  Value choice(std::string_view key,
               const std::array<std::pair<std::string_view, Value>, N>& choices);

  const json::Node* array(std::string_view key);
  const json::Node* object(std::string_view key, bool required = true);
  std::string pointer_to(std::string_view key) const { return object_.pointer_to(key); }
  void problem(std::string_view key, std::string message, std::string remedy = {}) {
    object_.problem(key, std::move(message), std::move(remedy));
  }
  json::Problems& problems() { return problems_; }
  int line() const { return node_.line; }

  /// What no getter of `inner`, the object under `key`, asked for counts as this one's.
  void pass_over(const Fields& inner, std::string_view key);
  void refuse_the_rest() { object_.finish(); }
  /// Adds one for each member that no getter asked for, under `prefix`/name.
  void count_the_rest(const std::string& prefix, std::map<std::string, std::size_t>& into) const;

 private:
  void know(std::string_view key);
  std::vector<double> numbers(std::string_view key, std::size_t how_many);
  void refuse_choice(std::string_view key, const std::string& word,
                     const std::vector<std::string>& known);
  Spread as_spread(std::string_view key, const std::vector<double>& numbers, Seconds unit);

  const json::Node& node_;
  json::Problems& problems_;
  json::ObjectReader object_;
  std::vector<std::string> known_;
  std::map<std::string, std::size_t> inner_;  ///< what was passed over
};

template <typename Value, std::size_t N>
Value Fields::choice(std::string_view key,
                     const std::array<std::pair<std::string_view, Value>, N>& choices) {
  const std::string word = text(key);
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    known.emplace_back(name);
  }
  if (node_.find(key) != nullptr) refuse_choice(key, word, known);
  return choices.front().second;
}

Format read_format(Fields& fields, std::string_view key = "dtype");
Mode read_mode(Fields& fields);
How read_how(Fields& fields, std::string_view key = "how");
Order read_order(Fields& fields);

}  // namespace oracle::samples
