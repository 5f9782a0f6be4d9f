// Other shapes of the same elements.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

void make_flat(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  if (input.rank == 2) return importer.set(node, std::move(input));
  importer.add(node, "flatten", {input.layer}, {}, 2);
}

/// The tensor with a number of axes of its own, where none is longer than one but the channels.
void with_rank(Importer& importer, const Node& node, std::size_t rank) {
  Value input = importer.tensor(node, 0);
  input.rank = rank;
  importer.set(node, std::move(input));
}

/// Channels and the extents it has, without the batch.
Integers extents_of(const Importer& importer, const Value& value) {
  const Shape& shape = importer.layer(value).output;
  Integers extents = {shape.channels()};
  for (std::size_t axis = 2; axis < value.rank; ++axis) {
    const std::size_t first = kSpatialAxes.size() - (value.rank - 2);
    extents.push_back(shape[kSpatialAxes[first + axis - 2]]);
  }
  return extents;
}

/// The axes that a Squeeze or an Unsqueeze names, of `rank`, ascending.
std::vector<std::size_t> axes_of(const Importer& importer, const Node& node, std::size_t rank) {
  Integers axes;
  if (node.input(1) != nullptr) {
    axes = importer.integers(node, 1);
  } else if (const Attribute* attribute = node.find("axes")) {
    axes = attribute->integers;
  }
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(axis_of(axis, rank));
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::size_t> spatial_axes(const Importer& importer) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < importer.spatial_rank(); ++i) axes.push_back(i + 2);
  return axes;
}

/// What a Reshape makes of the axes behind the batch, 0 and -1 filled in.
Integers resolved(const Integers& target, const Integers& from, std::int64_t elements) {
  Integers extents(target.begin() + 1, target.end());
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0 && i < from.size()) extents[i] = from[i];
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

}  // namespace

void concat(Importer& importer, const Node& node) {
  const Attribute* axis = node.find("axis");
  if (axis == nullptr || !axis->integer) throw InputError("", "\"axis\" is missing");
  if (importer.is_constant(node, 0)) {
    Integers joined;
    for (std::size_t i = 0; i < node.inputs.size() && joined.size() <= kMostKept; ++i) {
      const Integers& piece = importer.integers(node, i);
      joined.insert(joined.end(), piece.begin(), piece.end());
    }
    return importer.set_integers(node, std::move(joined));
  }
  const std::size_t rank = importer.tensor(node, 0).rank;
  std::vector<LayerId> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& piece = importer.tensor(node, i);
    if (piece.rank != rank) throw InputError("", "its inputs differ in their number of axes");
    inputs.push_back(piece.layer);
  }
  if (axis_of(*axis->integer, rank) != 1) {
    throw InputError("", "only channels can be joined", "export the network with channels first");
  }
  if (inputs.size() == 1) return identity(importer, node);
  importer.add(node, "concat", inputs, {}, rank);
}

void flatten(Importer& importer, const Node& node) {
  const std::size_t rank = importer.tensor(node, 0).rank;
  if (axis_of(integer_of(node, "axis", 1), rank) != 1) {
    throw InputError("", "it flattens the batch or keeps positions", "use axis=1");
  }
  make_flat(importer, node);
}

void reshape(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) {
    return importer.set_integers(node, importer.integers(node, 0));
  }
  const Value& input = importer.tensor(node, 0);
  const Integers& target = importer.integers(node, 1);
  if (target.size() < 2) throw InputError("", "it joins the samples of a batch");
  const Integers from = extents_of(importer, input);
  const Integers extents = resolved(target, from, importer.layer(input).output.elements());
  if (extents == from) return identity(importer, node);
  if (extents.size() == 1) return make_flat(importer, node);
  const bool flat_image = importer.layer(input).output.positions() == 1 &&
                          extents.front() == from.front() &&
                          extents.size() == importer.spatial_rank() + 1;
  if (flat_image) return with_rank(importer, node, importer.spatial_rank() + 2);
  throw InputError("", "only a Reshape that flattens all but the batch is known",
                   "describe the network as in models/README.md");
}

void squeeze(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) {
    const Integers& values = importer.integers(node, 0);
    return importer.set_integers(node, values, values.size() == 1);
  }
  const Value& input = importer.tensor(node, 0);
  const bool whole = axes_of(importer, node, input.rank) == spatial_axes(importer) &&
                     input.rank == importer.spatial_rank() + 2 &&
                     importer.layer(input).output.positions() == 1;
  if (!whole) throw InputError("", "only a Squeeze of all positions, where one is left, is known");
  with_rank(importer, node, 2);
}

void unsqueeze(Importer& importer, const Node& node) {
  if (importer.is_constant(node, 0)) {
    return importer.set_integers(node, importer.integers(node, 0));
  }
  const std::size_t rank = importer.spatial_rank() + 2;
  const bool whole =
      importer.tensor(node, 0).rank == 2 && axes_of(importer, node, rank) == spatial_axes(importer);
  if (!whole) throw InputError("", "only an Unsqueeze of all positions is known");
  with_rank(importer, node, rank);
}

void transpose(Importer& importer, const Node& node) {
  const std::size_t rank = importer.tensor(node, 0).rank;
  Integers kept;
  for (std::size_t axis = 0; axis < rank; ++axis) kept.push_back(static_cast<std::int64_t>(axis));
  const Attribute* order = node.find("perm");
  if (order == nullptr || order->integers != kept) {
    throw InputError("", "a Transpose is not known", "export the network with channels first");
  }
  identity(importer, node);
}

}  // namespace oracle::onnx
