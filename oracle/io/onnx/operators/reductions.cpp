// Sums, means and maxima along axes.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// Whether it is the mean or the maximum over all positions, which is a pool.
bool is_pool(const Importer& importer, const Node& node, const Value& input,
             const std::vector<std::size_t>& axes) {
  if (node.type != "ReduceMean" && node.type != "ReduceMax") return false;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    const bool pooled = std::find(axes.begin(), axes.end(), i) != axes.end();
    const Dim& dim = input.axes[i];
    if (dim.per_sample() > 1 && pooled == dim.is(Axis::channel)) return false;
    if (dim.per_sample() > 1 && dim.has_samples()) return false;
  }
  return importer.shape(input).positions() > 1;
}

}  // namespace

std::vector<std::size_t> axes_to_reduce(const Importer& importer, const Node& node,
                                        std::size_t rank) {
  return reduced_axes(node, importer.axes(node, 1, rank), rank);
}

void reduce(Importer& importer, const Node& node) {
  if (node.type == "ReduceMean" && layer_norm_written_out(importer, node)) return;
  const Value input = importer.tensor(node, 0);
  const std::vector<std::size_t> axes = axes_to_reduce(importer, node, input.rank());
  if (axes.empty()) return identity(importer, node);
  const bool keeps = integer_of(node, "keepdims", 1) != 0;
  Axes left;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (gone && input.axes[i].has_samples()) {
      throw InputError("", "it reduces over the samples of the batch",
                       "export the network up to its scores, without its loss");
    }
    if (!gone) left.push_back(input.axes[i]);
    if (gone && keeps) left.emplace_back();
  }
  if (shape_of(left) == importer.shape(input)) {
    Value same = input;
    same.axes = left;
    return importer.set(node, std::move(same));
  }
  if (is_pool(importer, node, input, axes)) {
    return importer.add(node, "adaptive_pool", {input.layer},
                        {{"mode", std::string(node.type == "ReduceMax" ? "max" : "average")},
                         {"output", std::int64_t{1}}},
                        left);
  }
  importer.add_general(node, "reduction", {input.layer}, left);
}

}  // namespace oracle::onnx
