#include "oracle/io/onnx/naming.h"

#include <algorithm>

#include "oracle/base/in_quotes.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kMostLetters = 100;
constexpr std::string_view kWeight = ".weight";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// "/layer1/layer1.0/relu/Relu" → "layer1.0.relu.Relu"
std::string joined_modules(std::string_view path) {
  std::string name;
  std::string_view around;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view module = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (module.empty()) continue;
    const bool repeats = !around.empty() && module.size() > around.size() &&
                         module.starts_with(around) && module[around.size()] == '.';
    if (repeats) {
      name += module.substr(around.size());
    } else {
      name += name.empty() ? "" : ".";
      name += module;
    }
    around = module;
  }
  return name;
}

}  // namespace

std::string plain_name(std::string_view text) {
  std::string name(text.substr(0, kMostLetters));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_plain(c); }, '_');
  return name;
}

std::string layer_name(const Node& node, std::string_view weight) {
  if (weight.size() > kWeight.size() && weight.ends_with(kWeight)) {
    return plain_name(weight.substr(0, weight.size() - kWeight.size()));
  }
  std::string joined = plain_name(joined_modules(node.name));
  if (!joined.empty()) return joined;
  const std::string type = plain_name(node.type);
  return type.empty() ? "node" : type;
}

std::string unique_name(const std::string& name, std::unordered_map<std::string, int>& taken) {
  std::string unique = name;
  while (!taken.emplace(unique, 1).second) unique = name + "_" + std::to_string(++taken[name]);
  return unique;
}

std::string place_of(const Node& node) {
  const bool named = !node.name.empty() || node.outputs.empty();
  return "node " + in_quotes(named ? node.name : node.outputs.front()) + " (" +
         plain_name(node.type) + ")";
}

}  // namespace oracle::onnx
