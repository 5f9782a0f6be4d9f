// Parts of tensors, and other extents.

#include <algorithm>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// Where the part begins along one meaning, whose factors lie with the last one innermost. What is
/// taken of an inner factor, or with a step, is read as one part without gaps of that size.
std::int64_t begin_of(const Axes& input, const Axes& part, const Integers& starts, Axis meaning) {
  std::int64_t begin = 0, of_input = 1, of_part = 1;
  for (std::size_t i = input.size(); i-- > 0;) {
    if (input[i].axis != meaning) continue;
    begin += starts[i] * of_input;
    of_input *= input[i].extent;
    of_part *= part[i].extent;
  }
  return std::min(begin, of_input - of_part);
}

/// Adds the slice that leaves `axes`, from `starts` on.
void take(Importer& importer, const Node& node, const Value& input, const Axes& axes,
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

/// The integers of an input, or of an attribute where an older file has them.
Integers listed(const Importer& importer, const Node& node, std::size_t at, std::string_view name) {
  if (node.input(at) != nullptr) return importer.integers(node, at);
  const Attribute* attribute = node.find(name);
  return attribute == nullptr ? Integers{} : attribute->integers;
}

/// A place of an axis; a negative one counts from the end.
std::int64_t inside(std::int64_t at, std::int64_t extent) {
  return std::clamp<std::int64_t>(at < 0 && at >= -extent ? at + extent : at, 0, extent);
}

/// How many of `extent` places lie from `start` to `end`, `step` apart.
std::int64_t places(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (step < 1) throw InputError("", "it goes backwards");
  const std::int64_t taken = inside(end, extent) - inside(start, extent);
  if (taken < 1) throw InputError("", "nothing of an axis is left");
  return (taken - 1) / step + 1;
}

std::int64_t scaled(std::int64_t extent, double factor) {
  const double made = std::floor(static_cast<double>(extent) * factor);
  if (made >= 1 && made <= static_cast<double>(kMostExtent)) {
    return static_cast<std::int64_t>(made);
  }
  throw InputError("", "its factors leave nothing, or too much");
}

/// Extents of all axes of a Resize, the batch and the channels among them.
Integers resized(const Importer& importer, const Node& node, const Axes& axes) {
  // Opset 9 gives factors, opset 10 and later a region, factors and extents.
  const std::size_t at = node.type == "Upsample" || node.inputs.size() == 2 ? 1 : 2;
  if (node.input(3) != nullptr) return importer.integers(node, 3);
  const Attribute* older = node.find("scales");
  const Tensor* factors = node.input(at) != nullptr ? &importer.constant(node, at) : nullptr;
  if (factors == nullptr || !factors->reals || factors->reals->size() != axes.size()) {
    throw InputError("",
                     older != nullptr ? "its factors are an attribute of an old opset"
                                      : "its factors or extents are not known",
                     "fold constants before exporting (onnxsim)");
  }
  Integers extents;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    extents.push_back(scaled(axes[i].extent, (*factors->reals)[i]));
  }
  return extents;
}

}  // namespace

void slice(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) return slice_of_shape(importer, node);
  const Value& input = importer.tensor(node, 0);
  const Integers starts = listed(importer, node, 1, "starts");
  const Integers ends = listed(importer, node, 2, "ends");
  Integers along = listed(importer, node, 3, "axes");
  const Integers steps =
      node.input(4) != nullptr ? importer.integers(node, 4) : Integers(starts.size(), 1);
  for (std::size_t i = along.size(); i < starts.size(); ++i) {
    along.push_back(static_cast<std::int64_t>(i));
  }
  if (starts.size() != ends.size() || starts.size() != along.size() ||
      starts.size() != steps.size()) {
    throw InputError("", "its ranges are not given for each axis");
  }
  Axes axes = input.axes;
  Integers first(axes.size(), 0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(along[i], axes.size());
    Extent& each = axes[axis];
    if (each.axis == Axis::sample) throw InputError("", "it takes samples out of the batch");
    first[axis] = inside(starts[i], each.extent);
    each.extent = places(starts[i], ends[i], steps[i], each.extent);
  }
  take(importer, node, input, axes, first);
}

void split(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), input.rank());
  const std::int64_t extent = input.axes[axis].extent;
  if (input.axes[axis].axis == Axis::sample) throw InputError("", "it splits the batch");
  Integers pieces = listed(importer, node, 1, "split");
  const auto count = static_cast<std::int64_t>(node.outputs.size());
  if (pieces.empty()) {
    const std::int64_t each = (extent - 1) / count + 1;
    pieces = Integers(node.outputs.size(), each);
    pieces.back() = extent - (count - 1) * each;
  }
  if (pieces.size() != node.outputs.size()) {
    throw InputError("", "it has another number of parts than of outputs");
  }
  Integers first(input.rank(), 0);
  for (std::size_t output = 0; output < pieces.size(); ++output) {
    if (pieces[output] < 1 || pieces[output] > extent) {
      throw InputError("", "a piece is larger than its input, or empty");
    }
    Axes axes = input.axes;
    axes[axis].extent = pieces[output];
    if (importer.is_read(node, output)) take(importer, node, input, axes, first, output);
    first[axis] = std::min(first[axis] + pieces[output], extent);
  }
}

void gather(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) {
    const Value& table = importer.value(node, 0);
    if (!table.tensor.real) return gather_of_shape(importer, node);
    if (!importer.is_constant(node, 1)) return embedding(importer, node);
    return rows_of_weights(importer, node);
  }
  Value input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), input.rank());
  const Tensor& taken = importer.constant(node, 1);
  if (input.axes[axis].axis == Axis::sample) {
    throw InputError("", "it takes samples out of the batch");
  }
  Axes axes = input.axes;
  axes[axis].extent = taken.elements();
  if (taken.dims.size() > 1 || axes[axis].extent < 1 ||
      axes[axis].extent > input.axes[axis].extent) {
    throw InputError("", "it takes more than a list of places along one axis");
  }
  Integers first(axes.size(), 0);
  if (taken.integers && !taken.integers->empty()) {
    first[axis] = inside(taken.integers->front(), input.axes[axis].extent);
  }
  take(importer, node, input, axes, first);
  if (!taken.dims.empty()) return;
  Value dropped = importer.made(node);
  dropped.axes.erase(dropped.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  importer.set(node, std::move(dropped));
}

void resize(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  const Integers extents = resized(importer, node, input.axes);
  Axes axes = input.axes;
  if (extents.size() != axes.size() || axes.size() != importer.spatial_rank() + 2) {
    throw InputError("", "its extents do not fit its input");
  }
  for (std::size_t i = 1; i < axes.size(); ++i) axes[i].extent = extents[i];
  if (axes[1] != input.axes[1]) throw InputError("", "it resizes the channels");
  const bool nearest = text_of(node, "mode", "nearest") == "nearest";
  importer.add(node, "resize", {input.layer},
               {{"mode", std::string(nearest ? "nearest" : "linear")},
                {"extents", Integers(extents.begin() + 2, extents.end())}},
               axes);
}

}  // namespace oracle::onnx
