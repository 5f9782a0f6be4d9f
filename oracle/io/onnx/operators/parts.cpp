// Parts of tensors.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// Where the part begins along one meaning, whose factors lie with the last one innermost. What is
/// taken of an inner factor, or with a step, is read as one part without gaps of that size.
std::int64_t begin_of(const Axes& input, const Axes& part, const Integers& starts, Axis meaning) {
  std::int64_t begin = 0, of_input = 1, of_part = 1;
  for (std::size_t i = input.size(); i-- > 0;) {
    if (input[i].per_sample() == 1 || !input[i].is(meaning)) continue;
    begin += starts[i] * of_input;
    of_input *= input[i].per_sample();
    of_part *= part[i].per_sample();
  }
  return std::clamp<std::int64_t>(begin, 0, of_input - of_part);
}

void check_no_samples(const Dim& dim) {
  if (!dim.has_samples()) return;
  throw InputError("", "it takes samples out of the batch",
                   "export the network up to where it takes one sample");
}

/// Adds the slice that leaves `axes`, from `starts` on.
void take_slice(Importer& importer, const Node& node, const Value& input, const Axes& axes,
                const Integers& starts, std::size_t output = 0) {
  if (axes == input.axes) return importer.set(node, input, output);
  Attributes attributes = written(shape_of(axes), importer.spatial_rank());
  const std::int64_t feature = begin_of(input.axes, axes, starts, Axis::channel);
  if (feature > 0) attributes.set("begin_features", feature);
  Integers begin;
  for (std::size_t i = kSpatialAxes.size() - importer.spatial_rank(); i < kSpatialAxes.size();
       ++i) {
    begin.push_back(begin_of(input.axes, axes, starts, kSpatialAxes[i]));
  }
  if (begin != Integers(begin.size(), 0)) attributes.set("begin", begin);
  importer.add(node, "slice", {input.layer}, attributes, axes, output);
}

Value without_axis(Value value, std::size_t axis) {
  Integers extents = value.extents();
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
  value.axes = reshaped(value.axes, extents);
  return value;
}

/// Gather by an index that a layer makes: rows of a tensor.
void gather_rows(Importer& importer, const Node& node, std::size_t axis) {
  const Value input = importer.tensor(node, 0);
  check_no_samples(input.axes[axis]);
  const bool constant = importer.is_constant(node, 1);
  const Integers taken = importer.value(node, 1).extents();
  Axes axes(input.axes.begin(), input.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  for (const std::int64_t extent : taken) {
    if (extent < 1) throw InputError("", "nothing of an axis is left");
    axes.emplace_back(input.axes[axis].meaning(), extent);
  }
  axes.insert(axes.end(), input.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
              input.axes.end());
  if (!constant) {
    throw InputError("", "it takes places that depend on the samples",
                     "export the network up to where it picks places");
  }
  importer.add_general(node, "movement", {input.layer}, axes);
}

}  // namespace

void slice(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const std::vector<Taken> taken = slice_of(
      input.extents(), importer.listed(node, 1, "starts"), importer.listed(node, 2, "ends"),
      importer.listed(node, 3, "axes"), importer.listed(node, 4, "steps"));
  Axes axes = input.axes;
  Integers first(axes.size(), 0);
  bool backwards = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (taken[i].count < 1) throw InputError("", "nothing of an axis is left");
    first[i] = taken[i].first;
    backwards = backwards || taken[i].step < 0;
    if (taken[i].count == axes[i].extent() && taken[i].step == 1) continue;
    check_no_samples(axes[i]);
    const Axis meaning = axes[i].meaning();
    axes[i] =
        axes[i].is(meaning) ? Dim(meaning, taken[i].count) : Dim(Axis::channel, taken[i].count);
  }
  if (backwards) return importer.add_general(node, "movement", {input.layer}, axes);
  take_slice(importer, node, input, axes, first);
}

void split(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), input.rank());
  const Integers parts =
      split_of(input.axes[axis].extent(), importer.listed(node, 1, "split"), node.outputs.size());
  if (parts.size() > 1) check_no_samples(input.axes[axis]);
  Integers first(input.rank(), 0);
  for (std::size_t output = 0; output < parts.size(); ++output) {
    if (importer.is_read(node, output)) {
      if (parts[output] < 1) throw InputError("", "one of its parts is empty");
      Axes axes = input.axes;
      const auto& factors = input.axes[axis].factors();
      if (parts.size() > 1 && !factors.empty()) {
        axes[axis] = Dim(factors.front().axis, parts[output]);
      }
      take_slice(importer, node, input, axes, first, output);
    }
    first[axis] += parts[output];
  }
}

void gather(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) return embedding(importer, node);
  const Value input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), input.rank());
  if (!importer.is_constant(node, 1)) return gather_rows(importer, node, axis);
  const Tensor& taken = importer.constant(node, 1);
  const bool one = taken.dims.empty() || (taken.dims.size() == 1 && taken.dims.front() == 1);
  if (!one) return gather_rows(importer, node, axis);
  if (input.axes[axis].extent() > 1) check_no_samples(input.axes[axis]);
  Integers first(input.rank(), 0);
  if (taken.integers && !taken.integers->empty()) {
    const std::int64_t extent = input.axes[axis].extent(), at = taken.integers->front();
    if (at < -extent || at >= extent) {
      throw InputError(
          "", "it takes place " + std::to_string(at) + " of an axis of " + std::to_string(extent));
    }
    first[axis] = at < 0 ? at + extent : at;
  }
  Axes axes = input.axes;
  if (axes[axis].extent() > 1) axes[axis] = Dim{};
  take_slice(importer, node, input, axes, first);
  if (taken.dims.empty()) {
    const Value whole = importer.made(node);
    importer.set(node, importer.meaning(node, whole, without_axis(whole, axis).axes));
  }
}

}  // namespace oracle::onnx
