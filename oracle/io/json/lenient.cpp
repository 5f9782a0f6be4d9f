#include "oracle/io/json/lenient.h"

namespace oracle::json {

const Node* member(const Node& node, std::string_view key, Type type) {
  const Node* found = node.type == Type::object ? node.find(key) : nullptr;
  return found != nullptr && found->type == type ? found : nullptr;
}

std::string text(const Node& node, std::string_view key) {
  const Node* found = member(node, key, Type::string);
  return found == nullptr ? std::string() : found->string;
}

std::optional<double> number(const Node& node, std::string_view key) {
  for (const Type type : {Type::integer, Type::real}) {
    if (const Node* found = member(node, key, type)) return found->real;
  }
  return std::nullopt;
}

}  // namespace oracle::json
