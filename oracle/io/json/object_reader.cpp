#include <algorithm>
#include <cstddef>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/io/json/document.h"

namespace oracle::json {
namespace {

bool fits(Type have, Type want) {
  return have == want || (want == Type::real && have == Type::integer);
}

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string pointer_step(std::string_view key) {
  std::string text;
  for (const char c : on_one_line(key)) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

ObjectReader::ObjectReader(const Node& node, std::string pointer, Problems& problems)
    : node_(node), pointer_(std::move(pointer)), problems_(problems) {
  if (node.type != Type::object) {
    problems_.add(node.line, pointer_, "is " + std::string(name_of(node.type)) + ", not an object");
  }
}

const Node* ObjectReader::look(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  return node_.find(key);
}

const Node* ObjectReader::take(std::string_view key, Type type, bool required) {
  const Node* member = look(key);
  if (member == nullptr) {
    if (required && node_.type == Type::object)
      problem({}, in_quotes(key) + " is missing", "add it");
    return nullptr;
  }
  if (!fits(member->type, type)) {
    problem(key,
            "is " + std::string(name_of(member->type)) + ", not " + std::string(name_of(type)));
    return nullptr;
  }
  return member;
}

bool ObjectReader::has(std::string_view key) { return look(key) != nullptr; }

std::string ObjectReader::string(std::string_view key) {
  const Node* member = take(key, Type::string, true);
  return member == nullptr ? std::string() : member->string;
}

std::size_t ObjectReader::choice(std::string_view key, const std::vector<std::string>& names,
                                 std::string_view what) {
  const std::string said = string(key);
  const auto found = std::find(names.begin(), names.end(), said);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (has(key)) problem(key, in_quotes(said) + std::string(what), suggestion(said, names));
  return 0;
}

std::string ObjectReader::string(std::string_view key, std::string fallback) {
  const Node* member = take(key, Type::string, false);
  if (member != nullptr) fallback = member->string;
  return fallback;
}

void ObjectReader::schema(std::string_view due, std::string_view what) {
  if (string("schema") == due || !has("schema")) return;
  problem("schema", "is not the format of " + std::string(what), "write " + in_quotes(due));
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t least, std::int64_t most) {
  const Node* member = take(key, Type::integer, true);
  if (member == nullptr) return least;
  if (member->integer < least || member->integer > most) {
    problem(key, std::to_string(member->integer) + " is out of range",
            "write an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return least;
  }
  return member->integer;
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t least, std::int64_t most,
                                   std::int64_t fallback) {
  return has(key) ? integer(key, least, most) : fallback;
}

double ObjectReader::number(std::string_view key, double least, double fallback) {
  const Node* member = take(key, Type::real, false);
  if (member == nullptr) return fallback;
  if (member->real < least) {
    problem(key, number_text(member->real) + " is out of range",
            "write a number of at least " + number_text(least));
    return fallback;
  }
  return member->real;
}

bool ObjectReader::boolean(std::string_view key, bool fallback) {
  const Node* member = take(key, Type::boolean, false);
  return member == nullptr ? fallback : member->boolean;
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
  const Node* member = take(key, Type::array, false);
  std::vector<std::string> texts;
  if (member == nullptr) return texts;
  for (std::size_t i = 0; i < member->items.size(); ++i) {
    const Node& item = member->items[i];
    if (item.type == Type::string) {
      texts.push_back(item.string);
    } else {
      problems_.add(item.line, pointer_to(key) + "/" + std::to_string(i),
                    "is " + std::string(name_of(item.type)) + ", not a string");
    }
  }
  return texts;
}

const Node* ObjectReader::array(std::string_view key, bool required) {
  return take(key, Type::array, required);
}

const Node* ObjectReader::object(std::string_view key, bool required) {
  return take(key, Type::object, required);
}

std::optional<std::string> ObjectReader::text_of_quantity(std::string_view key) {
  const Node* member = look(key);
  if (member != nullptr && fits(member->type, Type::real)) return number_text(member->real);
  member = take(key, Type::string, true);
  if (member == nullptr) return std::nullopt;
  return member->string;
}

void ObjectReader::refuse(std::string_view key, const std::exception& error) {
  const auto* quantity_error = dynamic_cast<const QuantityError*>(&error);
  problem(key, error.what(), quantity_error == nullptr ? std::string() : quantity_error->remedy);
}

void ObjectReader::problem(std::string_view key, std::string message, std::string remedy) {
  const Node* member = key.empty() ? nullptr : node_.find(key);
  problems_.add(member == nullptr ? node_.line : member->line, pointer_to(key), std::move(message),
                std::move(remedy));
}

std::string ObjectReader::pointer_to(std::string_view key) const {
  return key.empty() ? pointer_ : pointer_ + "/" + pointer_step(key);
}

void ObjectReader::finish() {
  for (const auto& [key, member] : node_.members) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::string remedy = problems_.full() ? std::string() : suggestion(key, asked_);
    problems_.add(member.line, pointer_to(key), "unknown key " + in_quotes(key), std::move(remedy));
  }
}

}  // namespace oracle::json
