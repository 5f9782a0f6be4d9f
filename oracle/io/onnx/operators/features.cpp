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

void add_group_norm(Importer& importer, const Node& node, const Value& input, std::int64_t groups) {
  const std::int64_t channels = importer.shape(input).channels();
  // Opset 18 has weights for each group, opset 21 for each channel.
  const bool by_group = node.input(1) != nullptr && importer.constant(node, 1).holds(groups);
  check_weights(importer, node, by_group ? groups : channels);
  importer.add(node, "group_norm", {input.layer}, {{"groups", groups}}, input.axes);
}

}  // namespace

void batch_normalization(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  const std::int64_t channels = importer.shape(input).channels();
  importer.constant(node, 1);
  importer.constant(node, 2);
  check_weights(importer, node, channels);
  importer.add(node, "batch_norm", {input.layer}, {}, input.axes);
}

void instance_normalization(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  add_group_norm(importer, node, input, importer.shape(input).channels());
}

void group_normalization_of_18(Importer& importer, const Node& node) {
  add_group_norm(importer, node, importer.image(node, 0), integer_of(node, "num_groups", 0));
}

/// Over the axes from "axis" on, which are all channels to the layer.
void layer_normalization(Importer& importer, const Node& node) {
  const Value given = importer.tensor(node, 0);
  const std::size_t first = axis_of(integer_of(node, "axis", -1), given.rank());
  Axes axes = given.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i >= first) {
      if (axes[i].has_samples())
        throw InputError("", "it normalizes over the samples of the batch");
      axes[i] = axes[i].as(Axis::channel);
    } else if (axes[i].is(Axis::channel) && axes[i].per_sample() > 1) {
      if (importer.spatial_rank() == 0) throw MorePositions{1};
      axes[i] = axes[i].as(Axis::width);
    }
  }
  const Value input = importer.meaning(node, given, axes);
  check_weights(importer, node, importer.shape(input).channels());
  importer.add(node, "layer_norm", {input.layer}, {}, input.axes);
}

void local_response_normalization(Importer& importer, const Node& node) {
  const Value input = importer.image(node, 0);
  importer.add(node, "local_response_norm", {input.layer}, {{"size", integer_of(node, "size", 5)}},
               input.axes);
}

void softmax(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  // Before opset 13 it is over all axes from its own on.
  constexpr std::int64_t kOneAxis = 13;
  const bool one_axis = importer.opset() >= kOneAxis;
  const std::size_t axis = axis_of(integer_of(node, "axis", one_axis ? -1 : 1), input.rank());
  const std::size_t end = one_axis ? axis + 1 : input.rank();
  std::int64_t along = 1;
  bool channels = true;
  for (std::size_t i = axis; i < end; ++i) {
    if (input.axes[i].has_samples()) throw InputError("", "it compares samples of the batch");
    along *= input.axes[i].per_sample();
    channels = channels && input.axes[i].is(Axis::channel);
  }
  // The last softmax belongs to the loss.
  if (importer.is_output(node) && importer.readers(node).empty() && channels &&
      along == importer.shape(input).channels()) {
    return importer.set(node, input);
  }
  Attributes attributes;
  if (!channels) {
    attributes.set("over", std::string("positions"));
  } else {
    const bool innermost =
        std::none_of(input.axes.begin() + static_cast<std::ptrdiff_t>(end), input.axes.end(),
                     [](const Dim& dim) { return dim.per_sample() > 1 && dim.is(Axis::channel); });
    const std::int64_t groups = importer.shape(input).channels() / along;
    if (innermost) attributes.set("groups", groups);
  }
  importer.add(node, "softmax", {input.layer}, attributes, input.axes);
}

void loss(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  importer.add(node, "softmax_loss", {input.layer}, {}, {{Axis::sample, importer.batch()}});
}

void embedding(Importer& importer, const Node& node) {
  const Tensor& table = importer.constant(node, 0);
  const Value numbers = importer.tensor(node, 1);
  const std::size_t axis = axis_of(integer_of(node, "axis", 0), table.dims.size());
  if (table.dims.size() != 2 || axis != 0) {
    throw InputError("", "it looks up no rows of a table by the numbers of a text",
                     "export the network with a table of rows");
  }
  // Each number is a position.
  Axes axes = numbers.axes;
  for (Dim& dim : axes) {
    if (!dim.is(Axis::channel) || dim.per_sample() == 1) continue;
    if (importer.spatial_rank() == 0) throw MorePositions{1};
    dim = dim.as(Axis::width);
  }
  const Value input = importer.meaning(node, numbers, axes);
  axes.emplace_back(Axis::channel, table.dims[1]);
  importer.add(node, "embedding", {input.layer},
               {{"entries", table.dims[0]}, {"features", table.dims[1]}}, axes);
}

}  // namespace oracle::onnx
