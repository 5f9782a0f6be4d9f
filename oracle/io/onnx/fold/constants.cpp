// What makes a constant of nothing, of a shape or of a range.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/fold/fold.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {
namespace {

Tensor of_integers(Integers values) {
  Tensor tensor;
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.integers = std::move(values);
  return tensor;
}

Tensor of_reals(Reals values) {
  Tensor tensor;
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.real = true;
  tensor.reals = std::move(values);
  return tensor;
}

Tensor number(std::int64_t value) {
  Tensor tensor;
  tensor.integers = Integers{value};
  return tensor;
}

/// As many equal numbers as `dims` have elements, where those are kept.
void fill(Tensor& tensor, std::int64_t integer, double real) {
  const std::int64_t count = elements_of(tensor.dims);
  if (count > static_cast<std::int64_t>(kMostKept)) return;
  if (tensor.real) {
    tensor.reals = Reals(static_cast<std::size_t>(count), real);
  } else {
    tensor.integers = Integers(static_cast<std::size_t>(count), integer);
  }
}

}  // namespace

std::vector<Tensor> fold_constant(const Call& call) {
  for (const std::string_view name : {"value", "sparse_value"}) {
    const Attribute* whole = call.node.find(name);
    if (whole == nullptr || !whole->tensor) continue;
    Tensor tensor = *whole->tensor;
    // It is stored here, as an initializer is elsewhere.
    if (tensor.sources.empty() && tensor.elements() > 1 && !call.node.outputs.empty()) {
      tensor.sources = {{call.node.outputs.front(), tensor.elements()}};
    }
    return {std::move(tensor)};
  }
  const Attribute* list = call.node.find("value_ints");
  if (list != nullptr) return {of_integers(list->integers)};
  const Attribute* reals = call.node.find("value_floats");
  if (reals != nullptr) return {of_reals(reals->reals)};
  const Attribute* one = call.node.find("value_int");
  if (one != nullptr && one->integer) return {number(*one->integer)};
  const Attribute* real = call.node.find("value_float");
  if (real != nullptr && real->real) {
    Tensor tensor = of_reals({*real->real});
    tensor.dims.clear();
    return {std::move(tensor)};
  }
  throw InputError("", "its value is not of numbers");
}

std::vector<Tensor> fold_shape(const Call& call) {
  const Integers& dims = call.input(0).dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const Taken part = slice_of({rank}, {integer_of(call.node, "start", 0)},
                              {integer_of(call.node, "end", rank)}, {}, {})
                         .front();
  return {of_integers(Integers(dims.begin() + part.first, dims.begin() + part.first + part.count))};
}

std::vector<Tensor> fold_size(const Call& call) { return {number(call.input(0).elements())}; }

std::vector<Tensor> fold_filled(const Call& call) {
  const Attribute* value = call.node.find("value");
  const bool given = value != nullptr && value->tensor;
  Tensor tensor = computed(call, call.integers(0), !given || value->tensor->real);
  tensor.sources.clear();
  const auto first = [](const auto& list) { return list && !list->empty() ? list->front() : 0; };
  if (!given) {
    fill(tensor, 0, 0);
  } else if (value->tensor->integers || value->tensor->reals) {
    fill(tensor, first(value->tensor->integers), first(value->tensor->reals));
  }
  return {std::move(tensor)};
}

std::vector<Tensor> fold_range(const Call& call) {
  if (call.input(0).real)
    throw InputError("", "a range of real numbers has no length that is known");
  const auto one = [&](std::size_t at) {
    const Integers& values = call.integers(at);
    if (values.size() == 1) return values.front();
    throw InputError("", "its input " + std::to_string(at + 1) + " is not one number");
  };
  const std::int64_t start = one(0), limit = one(1), step = one(2);
  const auto inside = [](std::int64_t at) { return at >= -kMostExtent && at <= kMostExtent; };
  if (step == 0 || !inside(start) || !inside(limit) || !inside(step)) {
    throw InputError("", "its range is out of bounds");
  }
  const std::int64_t span = step > 0 ? limit - start : start - limit;
  const std::int64_t width = step > 0 ? step : -step;
  const std::int64_t count = span > 0 ? (span - 1) / width + 1 : 0;
  Tensor tensor = computed(call, {count}, false);
  if (count <= static_cast<std::int64_t>(kMostKept)) {
    Integers values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(start + i * step);
    tensor.integers = std::move(values);
  }
  return {std::move(tensor)};
}

std::vector<Tensor> fold_like(const Call& call) {
  return {computed(call, call.input(0).dims, call.input(0).real)};
}

std::vector<Tensor> fold_drawn(const Call& call) {
  return {computed(call, list_of(call.node, "shape"), true)};
}

}  // namespace oracle::onnx
