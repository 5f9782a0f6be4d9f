#include "oracle/io/models/transformers/config_keys.h"

#include <algorithm>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle::transformers {

const Type& type_of(const json::Document& document) {
  json::Problems problems(document.name);
  const std::string name = json::ObjectReader(document.root, "", problems).string("model_type");
  problems.raise();
  const auto types = all_types();
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const Type& type) { return type.name == name; });
  if (found != types.end()) return *found;
  std::vector<std::string> known;
  for (const Type& type : types) known.emplace_back(type.name);
  problems.add(document.root.line, "/model_type",
               "no transformer called " + in_quotes(name) + " is known",
               suggestion(name, known) + " (or export it to ONNX)");
  problems.raise();
  return types.front();
}

bool ConfigKeys::says(std::string_view key) const {
  if (key.empty()) return false;
  const json::Node* node = root_.find(key);
  return node != nullptr && node->type != json::Type::null;
}

bool ConfigKeys::drops(std::initializer_list<const char*> rates) {
  bool any = false;
  for (const char* rate : rates) any |= says(rate) && keys_.number(rate, 0, 0) > 0;
  return any;
}

double ConfigKeys::of_rope(std::string_view key) {
  if (says(key)) return keys_.number(key, 0, 1);
  constexpr const char* kNested = "rope_parameters";
  const json::Node* rope = says(kNested) ? keys_.object(kNested, false) : nullptr;
  if (rope == nullptr || rope->find(key) == nullptr) return 1;
  return json::ObjectReader(*rope, keys_.pointer_to(kNested), problems_).number(key, 0, 1);
}

std::vector<std::int64_t> ConfigKeys::counts(std::string_view key, std::int64_t most,
                                             std::size_t sides) {
  const json::Node* node = root_.find(key);
  if (sides > 0 && (node == nullptr || node->type != json::Type::array)) {
    return std::vector(sides, count(key, most));
  }
  const json::Node* list = keys_.array(key, true);
  std::vector<std::int64_t> numbers;
  if (list != nullptr) {
    for (const json::Node& item : list->items) {
      const bool fits =
          item.type == json::Type::integer && item.integer >= 1 && item.integer <= most;
      if (fits) numbers.push_back(item.integer);
    }
  }
  const std::size_t due = sides > 0 ? sides : std::max<std::size_t>(1, numbers.size());
  if (list != nullptr && (numbers.size() != list->items.size() || numbers.size() != due)) {
    keys_.problem(key, "its entries are not " +
                           (sides > 0 ? std::to_string(sides) + " " : std::string("one or more ")) +
                           "numbers from 1 to " + std::to_string(most));
  }
  numbers.resize(due, 1);
  return numbers;
}

std::int64_t ConfigKeys::head_size(std::int64_t hidden, std::int64_t heads) {
  if (says("head_dim")) return count("head_dim");
  if (heads == 0 || hidden % heads == 0) return hidden / std::max<std::int64_t>(1, heads);
  keys_.problem(
      type_.keys.heads,
      std::to_string(heads) + " heads do not divide " + std::to_string(hidden) + " features",
      "correct one of them, or write \"head_dim\"");
  return 1;
}

}  // namespace oracle::transformers
