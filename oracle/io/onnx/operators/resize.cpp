// Resampling to other extents.

#include <cmath>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// As ONNX states it: the floor of a product of fp32.
std::int64_t scaled(std::int64_t extent, double factor) {
  const float made = std::floor(static_cast<float>(extent) * static_cast<float>(factor));
  if (made >= 1 && made <= static_cast<float>(kMostExtent)) return static_cast<std::int64_t>(made);
  throw InputError("", "its factors leave nothing, or too much");
}

Reals factors_of(const Importer& importer, const Node& node) {
  // Opset 1 has a factor for each of two axes, opset 7 a list, opset 9 an input, opset 11 a region
  // before it.
  const Attribute* list = node.find("scales");
  if (list != nullptr) return list->reals;
  const Attribute *height = node.find("height_scale"), *width = node.find("width_scale");
  if (height != nullptr && width != nullptr) {
    return {1, 1, height->real.value_or(0), width->real.value_or(0)};
  }
  const std::size_t at = node.type == "Upsample" || node.inputs.size() == 2 ? 1 : 2;
  if (node.input(at) == nullptr) return {};
  const Tensor& tensor = importer.constant(node, at);
  return tensor.reals.value_or(Reals{});
}

/// How "keep_aspect_ratio_policy" changes wanted extents.
void keep_aspect(const Node& node, const Integers& axes, const Integers& from, Integers& extents) {
  const std::string policy = text_of(node, "keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  const auto ratio = [&](std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis);
    return static_cast<double>(extents[at]) / static_cast<double>(from[at]);
  };
  double factor = ratio(axes.front());
  for (const std::int64_t axis : axes) {
    factor = policy == "not_larger" ? std::min(factor, ratio(axis)) : std::max(factor, ratio(axis));
  }
  for (const std::int64_t axis : axes) {
    const auto at = static_cast<std::size_t>(axis);
    extents[at] = std::llround(static_cast<double>(from[at]) * factor);
  }
}

/// Extents of all axes, the batch and the channels among them.
Integers resized(const Importer& importer, const Node& node, const Axes& axes) {
  Integers along = list_of(node, "axes");
  for (std::int64_t& axis : along) {
    axis = static_cast<std::int64_t>(axis_of(axis, axes.size()));
  }
  if (along.empty()) {
    for (std::size_t i = 0; i < axes.size(); ++i) along.push_back(static_cast<std::int64_t>(i));
  }
  Integers extents = extents_of(axes);
  if (node.input(3) != nullptr && node.type == "Resize") {
    const Integers from = extents;
    const Integers& wanted = importer.integers(node, 3);
    if (wanted.size() != along.size()) throw InputError("", "its extents do not fit its input");
    for (std::size_t i = 0; i < along.size(); ++i) {
      extents[static_cast<std::size_t>(along[i])] = wanted[i];
    }
    keep_aspect(node, along, from, extents);
    return extents;
  }
  const Reals factors = factors_of(importer, node);
  if (factors.size() != along.size()) {
    throw InputError("", "its factors or extents are not known",
                     "fold constants before exporting (onnxsim)");
  }
  for (std::size_t i = 0; i < along.size(); ++i) {
    std::int64_t& extent = extents[static_cast<std::size_t>(along[i])];
    if (factors[i] != 1) extent = scaled(extent, factors[i]);
  }
  return extents;
}

}  // namespace

void resize(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  const Integers extents = resized(importer, node, input.axes);
  Axes axes = input.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (extents[i] == axes[i].extent()) continue;
    if (i < 2) throw InputError("", "it resizes the batch or the channels");
    if (extents[i] < 1 || extents[i] > kMostExtent) throw InputError("", "it leaves nothing");
    axes[i] = Dim(kSpatialAxes[kSpatialAxes.size() + i - axes.size()], extents[i]);
  }
  const bool nearest = text_of(node, "mode", "nearest") == "nearest";
  const Shape made = shape_of(axes);
  Attributes attributes = written(made, importer.spatial_rank());
  Attributes wanted{{"mode", std::string(nearest ? "nearest" : "linear")}};
  if (attributes.find("extents") == nullptr) throw MorePositions{1};
  wanted.set("extents", *attributes.find("extents"));
  importer.add(node, "resize", {input.layer}, wanted, axes);
}

void grid_sample(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  const Value grid = importer.tensor(node, 1);
  if (grid.rank() != input.rank() || !grid.axes.front().is_samples()) {
    throw InputError("", "its grid does not fit its input");
  }
  Axes axes = {input.axes[0], input.axes[1]};
  for (std::size_t i = 1; i + 1 < grid.rank(); ++i) {
    axes.emplace_back(kSpatialAxes[kSpatialAxes.size() + i + 1 - grid.rank()],
                      grid.axes[i].extent());
  }
  importer.add_general(node, "movement", {input.layer, grid.layer}, axes);
}

}  // namespace oracle::onnx
