// Several elements in one.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/fold/fold.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {
namespace {

std::int64_t reduced_value(std::string_view type, const Integers& values) {
  if (type == "ReduceMax") return *std::max_element(values.begin(), values.end());
  if (type == "ReduceMin") return *std::min_element(values.begin(), values.end());
  std::int64_t result = type == "ReduceProd" ? 1 : 0;
  for (const std::int64_t value : values) {
    const bool overflows = type == "ReduceProd" ? __builtin_mul_overflow(result, value, &result)
                                                : __builtin_add_overflow(result, value, &result);
    if (overflows) throw InputError("", "the integers that it computes are too large");
  }
  return result;
}

}  // namespace

std::vector<Tensor> fold_reduction(const Call& call) {
  const Tensor& from = call.input(0);
  const std::string_view type = call.node.type;
  const std::size_t rank = from.dims.size();
  const std::vector<std::size_t> axes = reduced_axes(call.node, call.axes(1, rank), rank);
  const bool keeps = integer_of(call.node, "keepdims", 1) != 0;
  Tensor result =
      computed(call, reduced(from.dims, axes, keeps), from.real && !type.starts_with("Arg"));
  const bool known =
      type == "ReduceMax" || type == "ReduceMin" || type == "ReduceProd" || type == "ReduceSum";
  if (known && from.integers && !from.integers->empty() && axes.size() == rank) {
    result.integers = Integers{reduced_value(type, *from.integers)};
  }
  return {std::move(result)};
}

}  // namespace oracle::onnx
