// What normalizes features, looks them up or shares them out.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

void check_weights(const Importer& importer, const Node& node, std::int64_t channels) {
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
    if (node.input(at) == nullptr || importer.constant(node, at).holds(channels)) continue;
    throw InputError("", "its weights do not have " + std::to_string(channels) + " elements");
  }
}

/// Whether the axis holds all channels of the layer.
bool is_all_channels(const Importer& importer, const Value& value, std::size_t axis) {
  return value.axes[axis].axis == Axis::channel &&
         value.axes[axis].extent == importer.layer(value).output.channels();
}

void add_group_norm(Importer& importer, const Node& node, std::int64_t groups) {
  const Value input = importer.image(node, 0);
  const std::int64_t channels = importer.layer(input).output.channels();
  check_weights(importer, node, channels);
  importer.add(node, "group_norm", {input.layer}, {{"groups", groups}}, input.axes);
}

}  // namespace

void batch_normalization(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  const std::int64_t channels = importer.layer(input).output.channels();
  importer.constant(node, 1);
  importer.constant(node, 2);
  check_weights(importer, node, channels);
  importer.add(node, "batch_norm", {input.layer}, {}, input.axes);
}

void instance_normalization(Importer& importer, const Node& node) {
  add_group_norm(importer, node, importer.image(node, 0).axes[1].extent);
}

void group_normalization_of_18(Importer& importer, const Node& node) {
  add_group_norm(importer, node, integer_of(node, "num_groups", 0));
}

void layer_normalization(Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  const std::size_t last = input.rank() - 1;
  if (axis_of(integer_of(node, "axis", -1), input.rank()) != last ||
      !is_all_channels(importer, input, last)) {
    throw InputError("", "it normalizes over more or less than the channels of a position",
                     "describe the network as in models/README.md");
  }
  check_weights(importer, node, input.axes.back().extent);
  importer.add(node, "layer_norm");
}

void local_response_normalization(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  importer.add(node, "local_response_norm", {input.layer}, {{"size", integer_of(node, "size", 5)}},
               input.axes);
}

void softmax(Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", -1), input.rank());
  const Extent along = input.axes[axis];
  // The last softmax belongs to the loss.
  if (importer.is_output(node) && is_all_channels(importer, input, axis)) {
    return importer.set(node, input);
  }
  if (along.axis == Axis::sample) throw InputError("", "it compares samples of the batch");
  Attributes attributes;
  if (along.axis != Axis::channel) {
    attributes.set("over", std::string("positions"));
  } else {
    const bool innermost = std::none_of(
        input.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, input.axes.end(),
        [](const Extent& each) { return each.axis == Axis::channel && each.extent > 1; });
    const std::int64_t groups = importer.layer(input).output.channels() / along.extent;
    if (innermost) attributes.set("groups", groups);
  }
  importer.add(node, "softmax", attributes);
}

void loss(Importer& importer, const Node& node) {
  importer.add(node, "softmax_loss", {importer.tensor(node, 0).layer}, {}, 1);
}

void embedding(Importer& importer, const Node& node) {
  const Tensor& table = importer.constant(node, 0);
  const Value& numbers = importer.tensor(node, 1);
  if (table.dims.size() != 2 || integer_of(node, "axis", 0) != 0 ||
      importer.layer(numbers).output.channels() != 1) {
    throw InputError("", "it looks up no rows of a table by the numbers of a text");
  }
  Axes axes = numbers.axes;
  axes.push_back({Axis::channel, table.dims[1]});
  importer.add(node, "embedding", {numbers.layer},
               {{"entries", table.dims[0]}, {"features", table.dims[1]}}, axes);
}

}  // namespace oracle::onnx
