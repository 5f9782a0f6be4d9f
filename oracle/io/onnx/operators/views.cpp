// Other shapes of the same elements, and tensors joined.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

void make_flat(Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  const Shape& shape = importer.layer(input).output;
  if (input.rank() > 2 && input.axes[1].axis == Axis::channel) {
    return importer.add(node, "flatten", {input.layer}, {}, 2);
  }
  const Axes flat = {{Axis::sample, 1}, {Axis::channel, shape.elements()}};
  importer.set(node, importer.meaning(node, input, flat));
}

void check_batch_first(const Value& input) {
  if (input.axes.front().axis == Axis::sample) return;
  throw InputError("", "the batch is not the first axis of its input",
                   "export the network with the batch first");
}

/// What a Reshape makes of the axes behind the batch, 0 and -1 filled in.
Integers resolved(const Integers& target, const Axes& from, std::int64_t elements) {
  Integers extents(target.begin() + 1, target.end());
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0 && i + 1 < from.size()) extents[i] = from[i + 1].extent;
    if (extents[i] == -1 && open == nullptr && target[0] != -1) {
      open = &extents[i];
    } else if (extents[i] < 1) {
      throw InputError("", "it does not say which extents it makes");
    } else {
      known = bounded_product({known, extents[i]}, "its output");
    }
  }
  if (open != nullptr) *open = elements / known;
  if (open != nullptr ? elements % known != 0 : elements != known) {
    throw InputError("", "it does not keep the number of elements, " + std::to_string(elements));
  }
  return extents;
}

/// A tensor of constants under other extents.
void view_constant(Importer& importer, const Node& node, Integers dims) {
  Value value = importer.value(node, 0);
  value.tensor.dims = std::move(dims);
  importer.set(node, std::move(value));
}

bool is_shape(const Importer& importer, const Node& node) {
  const Value& value = importer.value(node, 0);
  return value.constant && value.tensor.integers && value.tensor.dims.size() <= 1;
}

void concat_shapes(Importer& importer, const Node& node) {
  Integers joined;
  for (std::size_t i = 0; i < node.inputs.size() && joined.size() <= kMostKept; ++i) {
    const Integers& piece = importer.integers(node, i);
    joined.insert(joined.end(), piece.begin(), piece.end());
  }
  importer.set_integers(node, std::move(joined));
}

}  // namespace

void concat(Importer& importer, const Node& node) {
  const Attribute* axis = node.find("axis");
  if (axis == nullptr || !axis->integer) throw InputError("", "\"axis\" is missing");
  if (importer.is_constant(node, 0)) return concat_shapes(importer, node);
  const Axes first = importer.tensor(node, 0).axes;
  const std::size_t along = axis_of(*axis->integer, first.size());
  Axes axes = first;
  axes[along].extent = 0;
  std::vector<LayerId> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& piece = importer.tensor(node, i);
    if (piece.rank() != first.size()) {
      throw InputError("", "its inputs differ in their number of axes");
    }
    Axes wanted = first;
    wanted[along].extent = piece.axes[along].extent;
    axes[along].extent =
        bounded_product({axes[along].extent + piece.axes[along].extent}, "its output");
    inputs.push_back(importer.meaning(node, piece, wanted).layer);
  }
  if (inputs.size() == 1) return identity(importer, node);
  const bool joins_channels =
      first[along].axis == Axis::channel &&
      importer.layer(importer.tensor(node, 0)).output.channels() == first[along].extent;
  if (!joins_channels) {
    throw InputError("", "only channels can be joined", "export the network with channels first");
  }
  importer.add(node, "concat", inputs, {}, axes);
}

void flatten(Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  check_batch_first(input);
  if (axis_of(integer_of(node, "axis", 1), input.rank()) != 1) {
    throw InputError("", "it flattens the batch or keeps positions", "use axis=1");
  }
  make_flat(importer, node);
}

void reshape(Importer& importer, const Node& node) {
  const Integers& target = importer.integers(node, 1);
  if (importer.is_constant(node, 0)) {
    if (is_shape(importer, node)) {
      return importer.set_integers(node, importer.integers(node, 0), target.empty());
    }
    const Tensor& tensor = importer.constant(node, 0);
    Integers from = {1};
    from.insert(from.end(), target.begin(), target.end());
    Axes axes = {{Axis::sample, 1}};
    for (const std::int64_t extent : tensor.dims) axes.push_back({Axis::channel, extent});
    return view_constant(importer, node, resolved(from, axes, tensor.elements()));
  }
  const Value& input = importer.tensor(node, 0);
  check_batch_first(input);
  if (target.size() < 2) throw InputError("", "it joins the samples of a batch");
  const Integers extents = resolved(target, input.axes, importer.layer(input).output.elements());
  if (group_normalization(importer, node, extents)) return;
  if (extents.size() == 1) return make_flat(importer, node);
  importer.set(node, importer.meaning(node, input, reshaped(input.axes, extents)));
}

void squeeze(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) {
    if (is_shape(importer, node)) {
      const Integers& values = importer.integers(node, 0);
      return importer.set_integers(node, values, values.size() == 1);
    }
    Integers dims = importer.constant(node, 0).dims;
    std::vector<std::size_t> axes = axes_of(importer, node, 1, dims.size());
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    return view_constant(importer, node, std::move(dims));
  }
  Value input = importer.tensor(node, 0);
  const std::vector<std::size_t> axes = axes_of(importer, node, 1, input.rank());
  if (axes.empty()) throw InputError("", "it does not say which axes it drops");
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const Extent& dropped = input.axes[*axis];
    if (dropped.extent != 1 || dropped.axis == Axis::sample) {
      throw InputError("", "it drops an axis that is longer than 1");
    }
    input.axes.erase(input.axes.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  importer.set(node, std::move(input));
}

void unsqueeze(Importer& importer, const Node& node) {
  const Value& read = importer.value(node, 0);
  const std::size_t own = read.constant ? read.tensor.dims.size() : read.rank();
  const Attribute* attribute = node.find("axes");
  const std::size_t more = node.input(1) != nullptr
                               ? importer.integers(node, 1).size()
                               : (attribute == nullptr ? 0 : attribute->integers.size());
  const std::vector<std::size_t> axes = axes_of(importer, node, 1, own + more);
  if (read.constant) {
    if (is_shape(importer, node)) {
      return importer.set_integers(node, importer.integers(node, 0));
    }
    Integers dims = read.tensor.dims;
    for (const std::size_t axis : axes) {
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(std::min(axis, dims.size())), 1);
    }
    return view_constant(importer, node, std::move(dims));
  }
  Value input = importer.tensor(node, 0);
  for (const std::size_t axis : axes) {
    if (axis > input.rank()) throw InputError("", "it adds an axis behind the last");
    input.axes.insert(input.axes.begin() + static_cast<std::ptrdiff_t>(axis), {Axis::channel, 1});
  }
  importer.set(node, std::move(input));
}

void transpose(Importer& importer, const Node& node) {
  const bool constant = importer.is_constant(node, 0);
  Value input = constant ? importer.value(node, 0) : importer.tensor(node, 0);
  const std::size_t rank = constant ? input.tensor.dims.size() : input.rank();
  Integers order;
  for (std::size_t i = rank; i > 0; --i) order.push_back(static_cast<std::int64_t>(i) - 1);
  if (const Attribute* given = node.find("perm")) order = given->integers;
  if (order.size() != rank) throw InputError("", "\"perm\" does not fit its input");
  std::vector<bool> taken(rank, false);
  const Axes axes = input.axes;
  const Integers dims = input.tensor.dims;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = axis_of(order[i], rank);
    if (taken[from]) throw InputError("", "\"perm\" names an axis twice");
    taken[from] = true;
    if (constant) {
      input.tensor.dims[i] = dims[from];
    } else {
      input.axes[i] = axes[from];
    }
  }
  if (constant && rank > 1) input.tensor.integers.reset();
  importer.set(node, std::move(input));
}

}  // namespace oracle::onnx
