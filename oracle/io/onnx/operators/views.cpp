// Other shapes of the same elements.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {

void identity(Importer& importer, const Node& node) { importer.set(node, importer.value(node, 0)); }

void flatten(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const std::size_t axis = flatten_axis(node, input.rank());
  if (axis == 1 && input.rank() > 2 && input.axes.front().is_samples() &&
      input.axes[1].is(Axis::channel)) {
    return importer.add_image(node, "flatten", {input.layer}, {}, 2);
  }
  const Integers extents = flatten_of(input.extents(), axis);
  importer.set(node, importer.meaning(node, input, reshaped(input.axes, extents)));
}

void reshape(Importer& importer, const Node& node) {
  const Value input = importer.tensor(node, 0);
  const Integers extents = reshape_of(importer.listed(node, 1, "shape"), input.extents(),
                                      integer_of(node, "allowzero", 0) != 0);
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t each) { return each < 1; })) {
    throw InputError("", "it makes an empty tensor");
  }
  if (group_normalization(importer, node, extents)) return;
  const Axes axes = reshaped(input.axes, extents);
  const bool flat = axes.size() == 2 && axes.front().is_samples();
  if (flat && input.rank() > 2 && input.axes.front().is_samples() &&
      input.axes[1].is(Axis::channel)) {
    return importer.add_image(node, "flatten", {input.layer}, {}, 2);
  }
  importer.set(node, importer.meaning(node, input, axes));
}

void squeeze(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  std::vector<std::size_t> axes = importer.axes(node, 1, input.rank());
  const bool named = node.input(1) != nullptr || node.find("axes") != nullptr;
  for (std::size_t i = 0; !named && i < input.rank(); ++i) {
    if (input.axes[i].extent() == 1 && !input.axes[i].has_samples()) axes.push_back(i);
  }
  for (const std::size_t axis : axes) {
    if (input.axes[axis].extent() != 1) {
      throw InputError("", "it drops an axis that is longer than 1");
    }
  }
  if (axes.size() == input.rank()) throw InputError("", "it drops the batch");
  importer.set(node, importer.meaning(node, input,
                                      reshaped(input.axes, reduced(input.extents(), axes, false))));
}

void unsqueeze(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  const std::size_t more = importer.listed(node, 1, "axes").size();
  for (const std::size_t axis : importer.axes(node, 1, input.rank() + more)) {
    if (axis > input.rank()) throw InputError("", "it adds an axis behind the last");
    input.axes.insert(input.axes.begin() + static_cast<std::ptrdiff_t>(axis), Dim{});
  }
  importer.set(node, std::move(input));
}

void transpose(Importer& importer, const Node& node) {
  Value input = importer.tensor(node, 0);
  const Axes axes = input.axes;
  const std::vector<std::size_t> order = order_of(node, axes.size());
  for (std::size_t i = 0; i < order.size(); ++i) input.axes[i] = axes[order[i]];
  importer.set(node, std::move(input));
}

}  // namespace oracle::onnx
