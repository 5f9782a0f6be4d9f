#include "oracle/io/models/expression.h"

#include <cctype>
#include <string>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr std::size_t kLongest = 200;
constexpr std::size_t kMostItems = 64;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads one expression from left to right; its length bounds the recursion.
class Parser {
 public:
  Parser(std::string_view text, const Attributes& parameters)
      : text_(text), parameters_(parameters) {}

  std::int64_t whole() {
    const std::int64_t value = sum();
    if (!rest().empty()) fail("cannot be understood from " + in_quotes(rest()) + " on");
    return value;
  }

  /// The parameter named at the cursor.
  const AttributeValue& parameter() {
    ++at_;
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    const AttributeValue* value = parameters_.find(name);
    if (value != nullptr) return *value;
    std::vector<std::string> known;
    for (const auto& [candidate, unused] : parameters_.all()) known.push_back(candidate);
    throw InputError("", "there is no parameter " + in_quotes("$" + name) + " here",
                     known.empty() ? "write a number" : suggestion(name, known));
  }

  bool at_end() const { return at_ == text_.size(); }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError("", in_quotes(text_) + " " + message, "write arithmetic such as \"4*$width\"");
  }

  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }

  bool take(char symbol) {
    if (!rest().starts_with(symbol)) return false;
    ++at_;
    return true;
  }

  std::int64_t bounded(std::int64_t value) const {
    if (value > kMostElements || value < -kMostElements) fail("reaches 2^53 or more");
    return value;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    for (;;) {
      if (take('+')) {
        value = bounded(value + product());
      } else if (take('-')) {
        value = bounded(value - product());
      } else {
        return value;
      }
    }
  }

  std::int64_t product() {
    std::int64_t value = factor();
    for (;;) {
      if (take('*')) {
        value = times(value, factor());
      } else if (take('/')) {
        value = quotient(value, factor());
      } else {
        return value;
      }
    }
  }

  std::int64_t times(std::int64_t a, std::int64_t b) const {
    const double estimate = static_cast<double>(a) * static_cast<double>(b);
    const auto most = static_cast<double>(kMostElements);
    if (estimate > most || estimate < -most) fail("reaches 2^53 or more");
    return a * b;
  }

  std::int64_t quotient(std::int64_t a, std::int64_t b) const {
    if (b == 0) fail("divides by zero");
    if (a % b != 0)
      fail("divides " + std::to_string(a) + " by " + std::to_string(b) +
           ", which leaves a remainder");
    return a / b;
  }

  std::int64_t factor() {
    if (take('(')) {
      const std::int64_t value = sum();
      if (!take(')')) fail("lacks a \")\"");
      return value;
    }
    if (rest().starts_with('$')) {
      const auto* value = std::get_if<std::int64_t>(&parameter());
      if (value == nullptr) fail("calculates with a parameter that is not an integer");
      return bounded(*value);
    }
    return number();
  }

  std::int64_t number() {
    if (rest().empty() || !is_digit(rest().front())) {
      fail(rest().empty() ? "ends too early"
                          : "cannot be understood from " + in_quotes(rest()) + " on");
    }
    std::int64_t value = 0;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      value = bounded(value * 10 + (text_[at_] - '0'));
      ++at_;
    }
    return value;
  }

  std::string_view text_;
  const Attributes& parameters_;
  std::size_t at_ = 0;
};

std::int64_t item_of(const json::Node& node, const Attributes& parameters) {
  const AttributeValue value =
      node.type == json::Type::array ? AttributeValue(false) : evaluate(node, parameters);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) throw InputError("", "a list may hold integers only");
  return *whole;
}

AttributeValue list_of(const json::Node& node, const Attributes& parameters) {
  if (node.items.size() > kMostItems) throw InputError("", "the list is longer than 64");
  std::vector<std::int64_t> list;
  for (const json::Node& item : node.items) list.push_back(item_of(item, parameters));
  return list;
}

}  // namespace

AttributeValue evaluate(std::string_view expression, const Attributes& parameters) {
  if (expression.size() > kLongest) {
    throw InputError("", "the text is longer than 200 characters", "shorten it");
  }
  if (expression.find('$') == std::string_view::npos) return std::string(expression);
  if (expression.front() == '$') {
    Parser alone(expression, parameters);
    const AttributeValue& value = alone.parameter();
    if (alone.at_end()) return value;
  }
  return Parser(expression, parameters).whole();
}

AttributeValue evaluate(const json::Node& node, const Attributes& parameters) {
  switch (node.type) {
    case json::Type::integer:
      return node.integer;
    case json::Type::boolean:
      return node.boolean;
    case json::Type::string:
      return evaluate(std::string_view(node.string), parameters);
    case json::Type::array:
      return list_of(node, parameters);
    case json::Type::null:
    case json::Type::real:
    case json::Type::object:
      break;
  }
  throw InputError("", "is " + std::string(name_of(node.type)) + ", which no attribute is",
                   "write an integer, a list of integers, a word, true or false");
}

}  // namespace oracle
