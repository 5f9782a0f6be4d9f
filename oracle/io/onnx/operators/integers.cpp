// Arithmetic on shapes, as exporters write it around a Reshape, carried out here and now.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

std::int64_t result_of(std::string_view type, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = a == kBatch || b == kBatch;
  if (type == "Add" || type == "Sum") {
    overflows |= __builtin_add_overflow(a, b, &result);
  } else if (type == "Sub") {
    overflows |= __builtin_sub_overflow(a, b, &result);
  } else if (type == "Mul") {
    overflows |= __builtin_mul_overflow(a, b, &result);
  } else if (b == 0) {
    throw InputError("", "it divides by zero");
  } else if (!overflows) {
    result = a / b;
  }
  if (!overflows && result != kBatch) return result;
  throw InputError("", "the shape that it computes is not known",
                   "fold constants before exporting (onnxsim)");
}

bool is_scalar(const Importer& importer, const Node& node, std::size_t at) {
  return importer.constant(node, at).dims.empty();
}

}  // namespace

void constant(Importer& importer, const Node& node) {
  Value value;
  value.constant = true;
  if (const Attribute* whole = node.find("value"); whole != nullptr && whole->tensor) {
    value.tensor = *whole->tensor;
  } else if (const Attribute* one = node.find("value_int"); one != nullptr && one->integer) {
    return importer.set_integers(node, {*one->integer}, true);
  } else if (const Attribute* list = node.find("value_ints")) {
    return importer.set_integers(node, list->integers);
  } else if (const Attribute* real = node.find("value_float"); real != nullptr && real->real) {
    value.tensor.real = true;
    value.tensor.reals = {*real->real};
  } else {
    throw InputError("", "its value is of no kind that is read");
  }
  importer.set(node, std::move(value));
}

void shape(Importer& importer, const Node& node) {
  if (node.find("start") != nullptr || node.find("end") != nullptr) {
    throw InputError("", "a part of a shape is not known", "export with opset 14");
  }
  if (importer.is_constant(node, 0)) {
    return importer.set_integers(node, importer.constant(node, 0).dims);
  }
  Integers dims;
  for (const Extent& each : importer.tensor(node, 0).axes) {
    dims.push_back(each.axis == Axis::sample ? kBatch : each.extent);
  }
  importer.set_integers(node, std::move(dims));
}

void shape_constant(Importer& importer, const Node& node) {
  Value value;
  value.constant = true;
  value.tensor.real = true;
  for (const std::int64_t extent : importer.integers(node, 0)) {
    if (extent < 0 || extent > kMostExtent) {
      throw InputError("", "it makes a tensor whose extents are not known");
    }
    value.tensor.dims.push_back(extent);
  }
  importer.set(node, std::move(value));
}

void rows_of_weights(Importer& importer, const Node& node) {
  Value value = importer.value(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), value.tensor.dims.size());
  const auto at = value.tensor.dims.begin() + static_cast<std::ptrdiff_t>(axis);
  const Integers& taken = importer.constant(node, 1).dims;
  value.tensor.dims.insert(value.tensor.dims.erase(at), taken.begin(), taken.end());
  value.tensor.reals.reset();
  importer.set(node, std::move(value));
}

void gather_of_shape(Importer& importer, const Node& node) {
  const Integers& data = importer.integers(node, 0);
  if (integer_of(node, "axis", 0) != 0)
    throw InputError("", "it takes another axis than the first");
  Integers taken;
  for (const std::int64_t at : importer.integers(node, 1)) {
    taken.push_back(data[axis_of(at, data.size())]);
  }
  importer.set_integers(node, std::move(taken), is_scalar(importer, node, 1));
}

void slice_of_shape(Importer& importer, const Node& node) {
  const Integers& data = importer.integers(node, 0);
  const auto extent = static_cast<std::int64_t>(data.size());
  const Integers starts =
      node.input(1) != nullptr ? importer.integers(node, 1) : integers_of(node, "starts", 1, 0);
  const Integers ends =
      node.input(2) != nullptr ? importer.integers(node, 2) : integers_of(node, "ends", 1, extent);
  const bool steps = node.input(4) != nullptr && importer.integers(node, 4) != Integers{1};
  if (starts.size() != 1 || ends.size() != 1 || steps) {
    throw InputError("", "only one range of a shape, step by step, is known");
  }
  const auto inside = [extent](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 && at >= -extent ? at + extent : at, 0, extent);
  };
  const std::int64_t first = inside(starts.front());
  const std::int64_t last = std::max(first, inside(ends.front()));
  importer.set_integers(node, Integers(data.begin() + first, data.begin() + last));
}

void integer_arithmetic(Importer& importer, const Node& node) {
  if (node.inputs.size() != 2) throw InputError("", "it needs two inputs");
  const Integers& a = importer.integers(node, 0);
  const Integers& b = importer.integers(node, 1);
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1)) {
    throw InputError("", "its inputs differ in length");
  }
  Integers result;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    result.push_back(result_of(node.type, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  }
  const bool scalar = is_scalar(importer, node, 0) && is_scalar(importer, node, 1);
  importer.set_integers(node, std::move(result), scalar);
}

}  // namespace oracle::onnx
