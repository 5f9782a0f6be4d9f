// Convolutions and pools: everything that slides a window.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// One number for each spatial axis of the network; those that the window lacks are in front.
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

/// Of the window's own axes.
std::int64_t extent_along(const Value& input, std::size_t axis) {
  return input.axes[2 + axis].extent();
}

/// What a window over `rank` axes reads: a tensor with all its axes, zeros around it or not.
Value window_input(Importer& importer, const Node& node, std::size_t rank) {
  Value input = importer.tensor(node, 0);
  if (rank < 1 || rank > kSpatialAxes.size() || input.rank() != rank + 2) {
    throw InputError("", "its window of " + std::to_string(rank) + " axes does not fit its input");
  }
  const bool folded = !input.axes.front().is_samples();
  if (importer.spatial_rank() < rank + (folded ? 1 : 0))
    throw MorePositions{rank + (folded ? 1 : 0)};
  const auto pad = input.pad;
  input = importer.image(node, 0);
  input.pad = pad;
  return input;
}

/// ONNX's auto_pad: as many zeros as make the output ⌈in/stride⌉ long.
void pad_same(Slide& slide, const Value& input, bool more_after) {
  for (std::size_t axis = 0; axis < slide.kernel.size(); ++axis) {
    const std::int64_t in = extent_along(input, axis);
    const std::int64_t out = (in - 1) / slide.stride[axis] + 1;
    const std::int64_t reach = slide.dilation[axis] * (slide.kernel[axis] - 1) + 1;
    const std::int64_t zeros =
        std::max<std::int64_t>(0, (out - 1) * slide.stride[axis] + reach - in);
    const std::int64_t less = zeros / 2;
    slide.before[axis] = more_after ? less : zeros - less;
    slide.after[axis] = zeros - slide.before[axis];
  }
}

Slide read_slide(const Node& node, const Value& input, Integers kernel) {
  const std::size_t rank = input.rank() - 2;
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
    pad_same(slide, input, automatic == "SAME_UPPER");
  } else if (automatic != "NOTSET") {
    throw InputError("", "\"auto_pad\" is " + in_quotes(automatic));
  }
  for (std::size_t axis = 0; input.padded() && axis < rank; ++axis) {
    slide.before[axis] += input.pad[0][axis];
    slide.after[axis] += input.pad[1][axis];
  }
  return slide;
}

Slide over_network(Slide slide, const Importer& importer) {
  const auto fill = [&](Integers& values, std::int64_t value) {
    values.insert(values.begin(), importer.spatial_rank() - values.size(), value);
  };
  fill(slide.kernel, 1);
  fill(slide.stride, 1);
  fill(slide.dilation, 1);
  fill(slide.before, 0);
  fill(slide.after, 0);
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
  if (dims.size() >= 3 && dims.size() <= kSpatialAxes.size() + 2) return dims;
  throw InputError("", "its weights have " + std::to_string(dims.size()) +
                           " axes and need 3 to 5: features, channels and the window");
}

void check_kernel(const Slide& slide, const Integers& filter) {
  if (std::equal(slide.kernel.begin(), slide.kernel.end(), filter.begin() + 2, filter.end())) {
    return;
  }
  throw InputError("", "\"kernel_shape\" differs from the extents of its weights");
}

void check_channels(std::int64_t weights, const Importer& importer, const Value& input) {
  const std::int64_t channels = importer.shape(input).channels();
  if (weights == channels) return;
  throw InputError("", "its weights are for " + std::to_string(weights) +
                           " channels and its input has " + std::to_string(channels));
}

std::int64_t groups_of(const Node& node) {
  const std::int64_t groups = integer_of(node, "group", 1);
  check_range({groups}, 1);
  return groups;
}

/// Features or channels of all groups, of which a filter has `each`.
std::int64_t of_all_groups(std::int64_t each, std::int64_t groups) {
  check_range({each}, 1);
  if (each <= kMostExtent / groups) return each * groups;
  throw InputError("", "\"group\" is out of range");
}

bool has_bias(Importer& importer, const Node& node, std::int64_t features) {
  if (node.input(2) == nullptr) return importer.takes_bias(node, features);
  if (importer.constant(node, 2).holds(features)) return true;
  throw InputError("", "its bias does not have " + std::to_string(features) + " elements");
}

/// The axes of what a window makes of its input, the batch as it was.
Axes slid_axes(const Importer& importer, const Value& input, const Shape& made) {
  Axes axes = channels_first(made, input.rank(), importer.batch());
  axes.front() = input.axes.front();
  return axes;
}

/// Adds the layer whose output is that of its window.
void add_window(Importer& importer, const Node& node, std::string_view kind, const Value& input,
                const Attributes& attributes) {
  importer.add_made(node, kind, {input.layer}, attributes,
                    [&](const Shape& made) { return slid_axes(importer, input, made); });
}

void pool(Importer& importer, const Node& node, const char* mode) {
  const Attribute* kernel = node.find("kernel_shape");
  if (kernel == nullptr) throw InputError("", "\"kernel_shape\" is missing");
  const Value input = window_input(importer, node, kernel->integers.size());
  const Slide slide = over_network(read_slide(node, input, {}), importer);
  Attributes attributes;
  if (slide.is_identity()) {
    const Attributes same = written(importer.shape(input), importer.spatial_rank());
    attributes = {{"mode", std::string(mode)}, {"output", *same.find("extents")}};
    return importer.add(node, "adaptive_pool", {input.layer}, attributes, input.axes);
  }
  attributes = attributes_of(slide);
  attributes.set("mode", std::string(mode));
  attributes.set("ceil", integer_of(node, "ceil_mode", 0) != 0);
  add_window(importer, node, "pool", input, attributes);
}

void pool_everything(Importer& importer, const Node& node, const char* mode) {
  const Value given = importer.tensor(node, 0);
  if (given.rank() < 3) throw InputError("", "its input has no positions to pool");
  const Value input = importer.image(node, 0);
  Axes axes = input.axes;
  for (std::size_t i = 2; i < axes.size(); ++i) axes[i] = Dim{};
  if (shape_of(axes) == importer.shape(input)) {
    Value same = input;
    same.axes = axes;
    return importer.set(node, std::move(same));
  }
  Attributes attributes{{"mode", std::string(mode)}};
  const Attributes made = written(shape_of(axes), importer.spatial_rank());
  if (made.find("extents") != nullptr) attributes.set("output", *made.find("extents"));
  importer.add(node, "adaptive_pool", {input.layer}, attributes, axes);
}

/// What "output_shape" and "auto_pad" make of the padding of a transposed convolution.
void fit_output(const Node& node, const Value& input, Slide& slide, Integers& more) {
  const std::size_t rank = input.rank() - 2;
  Integers wanted = list_of(node, "output_shape");
  const std::string automatic = text_of(node, "auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (wanted.empty() && !same) return;
  if (wanted.size() > rank)
    wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(rank));
  if (!wanted.empty() && wanted.size() != rank) {
    throw InputError("", "\"output_shape\" does not fit its input");
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t in = extent_along(input, i);
    const std::int64_t target = wanted.empty() ? in * slide.stride[i] : wanted[i];
    const std::int64_t whole =
        slide.stride[i] * (in - 1) + more[i] + slide.dilation[i] * (slide.kernel[i] - 1) + 1;
    if (target < 1 || target > kMostExtent)
      throw InputError("", "\"output_shape\" is out of range");
    std::int64_t cut = whole - target;
    if (cut < 0) {
      more[i] -= cut;
      cut = 0;
    }
    const std::int64_t less = cut / 2;
    slide.before[i] = automatic == "SAME_UPPER" ? less : cut - less;
    slide.after[i] = cut - slide.before[i];
  }
}

}  // namespace

void convolution(Importer& importer, const Node& node) {
  const Integers filter = filter_of(importer, node);
  const Value input = window_input(importer, node, filter.size() - 2);
  const Slide slide = read_slide(node, input, Integers(filter.begin() + 2, filter.end()));
  check_kernel(slide, filter);
  const std::int64_t groups = groups_of(node);
  check_channels(of_all_groups(filter[1], groups), importer, input);
  Attributes attributes = attributes_of(over_network(slide, importer));
  attributes.set("features", filter[0]);
  attributes.set("groups", groups);
  attributes.set("bias", has_bias(importer, node, filter[0]));
  add_window(importer, node, "convolution", input, attributes);
}

void transposed_convolution(Importer& importer, const Node& node) {
  const Integers filter = filter_of(importer, node);
  const Value input = window_input(importer, node, filter.size() - 2);
  Node bare = node;
  std::erase_if(bare.attributes, [](const Attribute& each) { return each.name == "auto_pad"; });
  Slide slide = read_slide(bare, input, Integers(filter.begin() + 2, filter.end()));
  check_kernel(slide, filter);
  const std::size_t rank = input.rank() - 2;
  Integers more = integers_of(node, "output_padding", rank, 0);
  check_range(more, 0);
  fit_output(node, input, slide, more);
  const std::int64_t groups = groups_of(node);
  check_channels(filter[0], importer, input);
  const std::int64_t features = of_all_groups(filter[1], groups);
  Attributes attributes = attributes_of(over_network(slide, importer));
  more.insert(more.begin(), importer.spatial_rank() - rank, 0);
  attributes.set("features", features);
  attributes.set("output_pad", more);
  attributes.set("groups", groups);
  attributes.set("bias", has_bias(importer, node, features));
  add_window(importer, node, "transposed_convolution", input, attributes);
}

void max_pool(Importer& importer, const Node& node) { pool(importer, node, "max"); }

void average_pool(Importer& importer, const Node& node) { pool(importer, node, "average"); }

void global_average_pool(Importer& importer, const Node& node) {
  pool_everything(importer, node, "average");
}

void global_max_pool(Importer& importer, const Node& node) {
  pool_everything(importer, node, "max");
}

}  // namespace oracle::onnx
