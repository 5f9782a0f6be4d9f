#include "oracle/io/onnx/model.h"

#include <algorithm>

#include "oracle/graph/limits.h"

namespace oracle::onnx {

bool Tensor::holds(std::int64_t count) const {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return count == 0;
  std::int64_t left = count;
  for (const std::int64_t extent : dims) {
    if (left % extent != 0) return false;
    left /= extent;
  }
  return left == 1;
}

std::int64_t Tensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count = bounded_product({count, extent}, "a tensor");
  return count;
}

std::int64_t Tensor::stored() const {
  std::int64_t count = 0;
  for (const auto& [name, elements] : sources) {
    count = bounded_product({count + elements}, "its weights");
  }
  return count;
}

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& entry) { return entry.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

const std::string* Node::input(std::size_t at) const {
  return at < inputs.size() && !inputs[at].empty() ? &inputs[at] : nullptr;
}

}  // namespace oracle::onnx
