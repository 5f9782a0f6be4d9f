// Convolutions and pools: everything that slides a window.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

struct Slide {
  Integers kernel;
  Integers stride;
  Integers dilation;
  Integers before;
  Integers after;

  bool is_identity() const {
    const auto all = [](const Integers& values, std::int64_t wanted) {
      return std::all_of(values.begin(), values.end(),
                         [wanted](std::int64_t value) { return value == wanted; });
    };
    return all(kernel, 1) && all(stride, 1) && all(before, 0) && all(after, 0);
  }
};

void check_range(const Integers& values, std::int64_t least) {
  for (const std::int64_t value : values) {
    if (value >= least && value <= kMostExtent) continue;
    throw InputError("", "the number " + std::to_string(value) + " of its window is out of range");
  }
}

std::int64_t extent_along(const Importer& importer, const Value& input, std::size_t axis) {
  const std::size_t first = kSpatialAxes.size() - importer.spatial_rank();
  return importer.layer(input).output[kSpatialAxes[first + axis]];
}

/// What a window reads: a tensor with all its axes, zeros around it or not.
Value window_input(Importer& importer, const Node& node) {
  const Value& input = importer.value(node, 0);
  if (input.constant || input.label || input.rank() != importer.spatial_rank() + 2) {
    throw InputError("", "its input has no positions to slide over");
  }
  return importer.image(node, 0);
}

/// ONNX's auto_pad: as many zeros as make the output ⌈in/stride⌉ long.
void pad_same(Slide& slide, const Importer& importer, const Value& input, bool more_after) {
  for (std::size_t axis = 0; axis < slide.kernel.size(); ++axis) {
    const std::int64_t in = extent_along(importer, input, axis);
    const std::int64_t out = (in - 1) / slide.stride[axis] + 1;
    const std::int64_t reach = slide.dilation[axis] * (slide.kernel[axis] - 1) + 1;
    const std::int64_t zeros =
        std::max<std::int64_t>(0, (out - 1) * slide.stride[axis] + reach - in);
    const std::int64_t less = zeros / 2;
    slide.before[axis] = more_after ? less : zeros - less;
    slide.after[axis] = zeros - slide.before[axis];
  }
}

Slide read_slide(const Importer& importer, const Node& node, const Value& input, Integers kernel) {
  const std::size_t rank = importer.spatial_rank();
  Slide slide;
  slide.kernel = integers_of(node, "kernel_shape", rank, 0);
  if (node.find("kernel_shape") == nullptr) slide.kernel = std::move(kernel);
  slide.stride = integers_of(node, "strides", rank, 1);
  slide.dilation = integers_of(node, "dilations", rank, 1);
  if (slide.kernel.size() != rank) throw InputError("", "\"kernel_shape\" does not fit its input");
  for (const Integers* values : {&slide.kernel, &slide.stride, &slide.dilation}) {
    check_range(*values, 1);
  }
  const Integers pads = integers_of(node, "pads", 2 * rank, 0);
  check_range(pads, 0);
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  slide.before.assign(pads.begin(), middle);
  slide.after.assign(middle, pads.end());
  const std::string automatic = text_of(node, "auto_pad", "NOTSET");
  if (automatic == "VALID") {
    slide.before = slide.after = Integers(rank, 0);
  } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    pad_same(slide, importer, input, automatic == "SAME_UPPER");
  } else if (automatic != "NOTSET") {
    throw InputError("", "\"auto_pad\" is " + in_quotes(automatic));
  }
  if (input.padded()) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      slide.before[axis] += input.pad[0][axis];
      slide.after[axis] += input.pad[1][axis];
    }
  }
  return slide;
}

Attributes attributes_of(const Slide& slide) {
  Attributes attributes;
  attributes.set("kernel", slide.kernel);
  attributes.set("stride", slide.stride);
  attributes.set("dilation", slide.dilation);
  if (slide.before == slide.after) {
    attributes.set("pad", slide.before);
  } else {
    attributes.set("pad_before", slide.before);
    attributes.set("pad_after", slide.after);
  }
  return attributes;
}

/// The extents of a filter, from its weights: features, channels, kernel.
Integers filter_of(const Importer& importer, const Node& node) {
  Integers dims = importer.constant(node, 1).dims;
  if (dims.size() == importer.spatial_rank() + 2) return dims;
  throw InputError("", "its weights have " + std::to_string(dims.size()) + " axes and need " +
                           std::to_string(importer.spatial_rank() + 2));
}

void check_kernel(const Slide& slide, const Integers& filter) {
  if (std::equal(slide.kernel.begin(), slide.kernel.end(), filter.begin() + 2, filter.end())) {
    return;
  }
  throw InputError("", "\"kernel_shape\" differs from the extents of its weights");
}

void check_channels(std::int64_t weights, const Importer& importer, const Value& input) {
  const std::int64_t channels = importer.layer(input).output.channels();
  if (weights == channels) return;
  throw InputError("", "its weights are for " + std::to_string(weights) +
                           " channels and its input has " + std::to_string(channels));
}

std::int64_t groups_of(const Node& node) {
  const std::int64_t groups = integer_of(node, "group", 1);
  check_range({groups}, 1);
  return groups;
}

bool has_bias(Importer& importer, const Node& node, std::int64_t features) {
  if (node.input(2) == nullptr) return importer.takes_bias(node, features);
  if (importer.constant(node, 2).holds(features)) return true;
  throw InputError("", "its bias does not have " + std::to_string(features) + " elements");
}

void pool(Importer& importer, const Node& node, const char* mode) {
  const Value input = window_input(importer, node);
  const Slide slide = read_slide(importer, node, input, {});
  const std::size_t rank = importer.spatial_rank();
  Attributes attributes;
  if (slide.is_identity()) {
    Integers output;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      output.push_back(extent_along(importer, input, axis));
    }
    attributes.set("mode", std::string(mode));
    attributes.set("output", output);
    importer.add(node, "adaptive_pool", {input.layer}, attributes, input.rank());
    return;
  }
  attributes = attributes_of(slide);
  attributes.set("mode", std::string(mode));
  attributes.set("ceil", integer_of(node, "ceil_mode", 0) != 0);
  importer.add(node, "pool", {input.layer}, attributes, input.rank());
}

void pool_everything(Importer& importer, const Node& node, const char* mode, std::size_t rank) {
  const Value& given = importer.tensor(node, 0);
  if (given.rank() < 3) throw InputError("", "its input has no positions to pool");
  const Value input = importer.image(node, 0);
  Attributes attributes;
  attributes.set("mode", std::string(mode));
  attributes.set("output", std::int64_t{1});
  importer.add(node, "adaptive_pool", {input.layer}, attributes, rank);
}

}  // namespace

void convolution(Importer& importer, const Node& node) {
  const Value input = window_input(importer, node);
  const Integers filter = filter_of(importer, node);
  const Slide slide = read_slide(importer, node, input, Integers(filter.begin() + 2, filter.end()));
  check_kernel(slide, filter);
  const std::int64_t groups = groups_of(node);
  check_channels(filter[1] * groups, importer, input);
  Attributes attributes = attributes_of(slide);
  attributes.set("features", filter[0]);
  attributes.set("groups", groups);
  attributes.set("bias", has_bias(importer, node, filter[0]));
  importer.add(node, "convolution", {input.layer}, attributes, input.rank());
}

void transposed_convolution(Importer& importer, const Node& node) {
  importer.tensor(node, 0);
  const Value input = window_input(importer, node);
  const Integers filter = filter_of(importer, node);
  const Slide slide = read_slide(importer, node, input, Integers(filter.begin() + 2, filter.end()));
  check_kernel(slide, filter);
  const std::size_t rank = importer.spatial_rank();
  if (slide.before != slide.after || slide.dilation != Integers(rank, 1) ||
      node.find("output_shape") != nullptr || text_of(node, "auto_pad", "NOTSET") != "NOTSET") {
    throw InputError("",
                     "a transposed convolution is read with equal padding on both sides only, "
                     "without dilation, \"output_shape\" and \"auto_pad\"",
                     "export it with \"pads\" and \"output_padding\"");
  }
  const std::int64_t groups = groups_of(node);
  check_channels(filter[0], importer, input);
  const std::int64_t features = filter[1] * groups;
  Attributes attributes;
  attributes.set("features", features);
  attributes.set("kernel", slide.kernel);
  attributes.set("stride", slide.stride);
  attributes.set("pad", slide.before);
  attributes.set("output_pad", integers_of(node, "output_padding", rank, 0));
  attributes.set("groups", groups);
  attributes.set("bias", has_bias(importer, node, features));
  importer.add(node, "transposed_convolution", {input.layer}, attributes, input.rank());
}

void max_pool(Importer& importer, const Node& node) { pool(importer, node, "max"); }

void average_pool(Importer& importer, const Node& node) { pool(importer, node, "average"); }

void global_average_pool(Importer& importer, const Node& node) {
  pool_everything(importer, node, "average", importer.tensor(node, 0).rank());
}

void global_max_pool(Importer& importer, const Node& node) {
  pool_everything(importer, node, "max", importer.tensor(node, 0).rank());
}

/// A mean over all positions, whatever their place among the axes, or the start of a layer
/// normalization.
void reduce_mean(Importer& importer, const Node& node) {
  if (layer_norm_written_out(importer, node)) return;
  const Value& input = importer.tensor(node, 0);
  std::vector<bool> pooled(input.rank(), false);
  for (const std::size_t axis : axes_of(importer, node, 1, input.rank())) pooled[axis] = true;
  Axes axes;
  bool all_positions = true;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    const Extent& each = input.axes[i];
    const bool position = each.axis != Axis::sample && each.axis != Axis::channel;
    all_positions = all_positions && (each.extent == 1 || position == pooled[i]);
    const bool keeps = integer_of(node, "keepdims", 1) != 0;
    if (!pooled[i] || keeps) axes.push_back({each.axis, pooled[i] ? 1 : each.extent});
  }
  if (!all_positions || importer.layer(input).output.positions() == 1) {
    throw InputError("", "a mean over anything but all positions is not known",
                     "use GlobalAveragePool");
  }
  importer.add(node, "adaptive_pool", {input.layer},
               {{"mode", std::string("average")}, {"output", std::int64_t{1}}}, axes);
}

void pad(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  const std::size_t rank = input.rank();
  const Integers pads = node.input(1) != nullptr ? importer.integers(node, 1)
                                                 : integers_of(node, "pads", 2 * rank, 0);
  if (pads.size() != 2 * rank || node.input(3) != nullptr) {
    throw InputError("", "its padding is not given for each axis");
  }
  check_range(pads, 0);
  if (pads == Integers(2 * rank, 0)) return importer.set(node, input);
  const bool inside = rank > 2 && pads[0] == 0 && pads[1] == 0 && pads[rank] == 0 &&
                      pads[rank + 1] == 0 && text_of(node, "mode", "constant") == "constant";
  if (!inside) {
    throw InputError("", "only zeros around the positions are known",
                     "export the network with the padding in its convolutions");
  }
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  input.pad[0].assign(pads.begin() + 2, middle);
  input.pad[1].assign(middle + 2, pads.end());
  importer.set(node, std::move(input));
}

}  // namespace oracle::onnx
