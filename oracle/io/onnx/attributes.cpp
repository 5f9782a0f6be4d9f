// Attributes of a node, with ONNX's defaults.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/importer.h"

namespace oracle::onnx {

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t fallback) {
  const Attribute* attribute = node.find(name);
  return attribute == nullptr || !attribute->integer ? fallback : *attribute->integer;
}

Integers integers_of(const Node& node, std::string_view name, std::size_t count,
                     std::int64_t fallback) {
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr || attribute->integers.empty()) return Integers(count, fallback);
  if (attribute->integers.size() == count) return attribute->integers;
  throw InputError("", in_quotes(name) + " has " + std::to_string(attribute->integers.size()) +
                           " numbers and needs " + std::to_string(count));
}

std::string text_of(const Node& node, std::string_view name, std::string fallback) {
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr || attribute->text.empty()) return fallback;
  return attribute->text;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes) {
    throw InputError("",
                     "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

std::vector<std::size_t> axes_of(const Importer& importer, const Node& node, std::size_t at,
                                 std::size_t rank) {
  Integers axes;
  if (node.input(at) != nullptr) {
    axes = importer.integers(node, at);
  } else if (const Attribute* attribute = node.find("axes")) {
    axes = attribute->integers;
  }
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(axis_of(axis, rank));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace oracle::onnx
