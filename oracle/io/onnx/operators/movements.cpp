// Elements at other places: joined, padded, repeated, rearranged.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// An axis of another extent with the meaning that it has.
Dim longer(const Dim& dim, std::int64_t extent) {
  if (extent == dim.extent()) return dim;
  if (dim.has_samples()) {
    throw InputError("", "it makes the batch longer or shorter",
                     "export the network without mixing samples");
  }
  return {dim.meaning(), extent};
}

/// The axes of the first piece that is a tensor.
Axes first_axes(Importer& importer, const Node& node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!importer.is_constant(node, i)) return importer.tensor(node, i).axes;
  }
  return importer.tensor(node, 0).axes;
}

void check_piece(const Integers& piece, const Integers& first, std::size_t along) {
  bool fits = piece.size() == first.size();
  for (std::size_t i = 0; fits && i < piece.size(); ++i) {
    fits = i == along || piece[i] == first[i];
  }
  if (!fits) throw InputError("", "its inputs differ in more than one axis");
}

/// Whether zeros around the positions are all that it adds, and only windows read them.
bool belongs_to_windows(const Importer& importer, const Node& node, const Value& input,
                        const Integers& pads) {
  const std::size_t rank = input.rank();
  bool inside = rank > 2 && text_of(node, "mode", "constant") == "constant" && pads[0] == 0 &&
                pads[1] == 0 && pads[rank] == 0 && pads[rank + 1] == 0;
  for (const std::int64_t each : pads) inside = inside && each >= 0;
  for (const Node* reader : importer.readers(node)) {
    const bool window =
        reader->type == "Conv" || reader->type == "AveragePool" || reader->type == "MaxPool";
    inside = inside && window && reader->inputs.front() == node.outputs.front();
  }
  return inside && !importer.readers(node).empty() && !importer.is_output(node);
}

/// Moves a factor of the channels to positions, or back.
void rearrange_blocks(Importer& importer, const Node& node, bool to_positions) {
  const Value input = importer.image(node, 0);
  const std::int64_t block = integer_of(node, "blocksize", 0);
  const std::size_t rank = input.rank();
  if (rank != 4 || block < 1 || block > kMostExtent) {
    throw InputError("", "its blocks do not fit its input");
  }
  const std::int64_t channels = input.axes[1].extent(), height = input.axes[2].extent(),
                     width = input.axes[3].extent();
  const std::int64_t area = bounded_product({block, block}, "its block");
  const bool fits = to_positions ? channels % area == 0 : height % block == 0 && width % block == 0;
  if (!fits) throw InputError("", "its blocks do not fit its input");
  Axes axes = {input.axes[0]};
  if (to_positions) {
    axes.emplace_back(Axis::channel, channels / area);
    axes.emplace_back(Axis::height, height * block);
    axes.emplace_back(Axis::width, width * block);
  } else {
    axes.emplace_back(Axis::channel, bounded_product({channels, area}, "its output"));
    axes.emplace_back(Axis::height, height / block);
    axes.emplace_back(Axis::width, width / block);
  }
  importer.add_general(node, "movement", {input.layer}, axes);
}

}  // namespace

void concat(Importer& importer, const Node& node) {
  const Attribute* written_axis = node.find("axis");
  const std::int64_t axis = written_axis == nullptr ? 1 : written_axis->integer.value_or(1);
  if (node.inputs.size() == 1) return identity(importer, node);
  const Axes first = first_axes(importer, node);
  const std::size_t along = axis_of(axis, first.size());
  const Integers extents = extents_of(first);
  std::vector<LayerId> inputs;
  std::int64_t total = 0;
  Axis meaning = first[along].meaning();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& piece = importer.value(node, i);
    check_piece(piece.extents(), extents, along);
    total = bounded_product({total + piece.extents()[along]}, "its output");
    if (!piece.constant && !piece.axes[along].factors().empty()) {
      meaning = piece.axes[along].meaning();
    }
  }
  if (meaning == Axis::sample) {
    throw InputError("", "it joins samples of the batch",
                     "export the network with one input for each, or describe it by hand");
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (importer.is_constant(node, i)) continue;
    const Value piece = importer.tensor(node, i);
    Axes wanted = first;
    wanted[along] = Dim(meaning, piece.axes[along].extent());
    inputs.push_back(importer.meaning(node, piece, wanted).layer);
  }
  Axes axes = first;
  axes[along] = Dim(meaning, total);
  const std::int64_t stored = importer.newly_stored(node);
  const bool channels = meaning == Axis::channel && inputs.size() == node.inputs.size() &&
                        shape_of(axes).channels() == total;
  if (channels) return importer.add(node, "concat", inputs, {}, axes);
  Attributes attributes;
  if (stored > 0) attributes.set("stored", stored);
  importer.add_general(node, "movement", inputs, axes, attributes);
}

void pad(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  const std::size_t rank = input.rank();
  Integers pads = importer.listed(node, 1, node.find("paddings") != nullptr ? "paddings" : "pads");
  if (node.input(3) != nullptr) {
    const Integers& along = importer.integers(node, 3);
    if (pads.size() != 2 * along.size()) throw InputError("", "its padding does not fit its axes");
    Integers spread(2 * rank, 0);
    for (std::size_t i = 0; i < along.size(); ++i) {
      const std::size_t axis = axis_of(along[i], rank);
      spread[axis] = pads[i];
      spread[rank + axis] = pads[along.size() + i];
    }
    pads = spread;
  }
  if (pads.size() != 2 * rank) throw InputError("", "its padding is not given for each axis");
  for (const std::int64_t each : pads) {
    if (each >= -kMostExtent && each <= kMostExtent) continue;
    throw InputError("", "the number " + std::to_string(each) + " of its padding is out of range");
  }
  if (pads == Integers(2 * rank, 0)) return importer.set(node, input);
  if (belongs_to_windows(importer, node, input, pads)) {
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
    input.pad[0].assign(pads.begin() + 2, middle);
    input.pad[1].assign(middle + 2, pads.end());
    return importer.set(node, std::move(input));
  }
  Axes axes = input.axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t extent = axes[i].extent() + pads[i] + pads[rank + i];
    if (extent < 1) throw InputError("", "nothing of an axis is left");
    axes[i] = longer(axes[i], extent);
  }
  importer.add_general(node, "movement", {input.layer}, axes);
}

void expand(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  const Integers extents = broadcast(input.extents(), importer.integers(node, 1));
  while (input.rank() < extents.size()) input.axes.insert(input.axes.begin(), Dim{});
  Axes axes = input.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = longer(axes[i], extents[i]);
  if (axes == input.axes) return importer.set(node, input);
  importer.add_general(node, "movement", {input.layer}, axes);
}

void tile(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const Integers& times = importer.integers(node, 1);
  if (times.size() != input.rank()) throw InputError("", "its repeats do not fit its input");
  Axes axes = input.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (times[i] < 1) throw InputError("", "nothing of an axis is left");
    axes[i] = longer(axes[i], bounded_product({axes[i].extent(), times[i]}, "its output"));
  }
  if (axes == input.axes) return importer.set(node, input);
  importer.add_general(node, "movement", {input.layer}, axes);
}

void depth_to_space(Importer& importer, const Node& node) {
  rearrange_blocks(importer, node, true);
}

void space_to_depth(Importer& importer, const Node& node) {
  rearrange_blocks(importer, node, false);
}

void rearranged(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  std::vector<LayerId> inputs = {input.layer};
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.input(i) == nullptr || importer.is_constant(node, i)) continue;
    inputs.push_back(importer.tensor(node, i).layer);
  }
  Attributes attributes;
  const std::int64_t stored = importer.newly_stored(node);
  if (stored > 0) attributes.set("stored", stored);
  importer.add_general(node, "movement", inputs, input.axes, attributes);
}

void gather_elements(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const Value& index = importer.value(node, 1);
  if (index.extents().size() != input.rank()) {
    throw InputError("", "its indices do not fit its input");
  }
  Axes axes = input.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = longer(axes[i], index.extents()[i]);
  std::vector<LayerId> inputs = {input.layer};
  if (!index.constant) inputs.push_back(importer.tensor(node, 1).layer);
  importer.add_general(node, "movement", inputs, axes);
}

void top_k(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const std::size_t axis = axis_of(integer_of(node, "axis", -1), input.rank());
  std::int64_t count = integer_of(node, "k", 0);
  if (node.input(1) != nullptr && !importer.integers(node, 1).empty()) {
    count = importer.integers(node, 1).front();
  }
  if (count < 1 || count > input.axes[axis].extent()) {
    throw InputError("", "it takes more than an axis has, or nothing");
  }
  Axes axes = input.axes;
  axes[axis] = longer(axes[axis], count);
  for (std::size_t output = 0; output < node.outputs.size() && output < 2; ++output) {
    if (importer.is_read(node, output)) {
      importer.add_general(node, "movement", {input.layer}, axes, {}, output);
    }
  }
}

void one_hot(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const Integers& depth = importer.integers(node, 1);
  if (depth.size() != 1 || depth.front() < 1 || depth.front() > kMostExtent) {
    throw InputError("", "its number of classes is not known");
  }
  Axes axes = input.axes;
  const std::size_t axis = axis_of(integer_of(node, "axis", -1), input.rank() + 1);
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), Dim(Axis::channel, depth.front()));
  importer.add_general(node, "movement", {input.layer}, axes);
}

}  // namespace oracle::onnx
