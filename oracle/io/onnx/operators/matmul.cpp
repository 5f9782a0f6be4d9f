// Matrix products: with weights, and of two tensors (attention, written out).

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

struct Matrix {
  std::int64_t channels = 0;
  std::int64_t features = 0;
  bool bias = false;  ///< whether an input of the node is the bias
};

/// The meaning in which the last axis is all channels, and what lies between it and the batch
/// positions.
Axes rows_and_channels(const Axes& axes, std::size_t spatial_rank) {
  Axes wanted = axes;
  for (std::size_t i = 1; i + 1 < wanted.size(); ++i) {
    if (wanted[i].axis == Axis::channel) wanted[i].axis = Axis::width;
  }
  wanted.back().axis = Axis::channel;
  if (spatial_rank == 0 && wanted.size() > 2) {
    throw InputError("", "its input has positions, and the network's input has none");
  }
  return wanted;
}

void check_features(const Importer& importer, const Value& input, std::int64_t channels) {
  if (input.axes.back().extent == channels && input.axes.back().axis != Axis::sample) return;
  throw InputError("", "its weights are for " + std::to_string(channels) +
                           " channels and its input has " + to_text(importer.layer(input).output));
}

/// A product with weights at each position: a dense layer, or a convolution of window 1.
void with_weights(Importer& importer, const Node& node, const Matrix& matrix) {
  const Value& given = importer.tensor(node, 0);
  check_features(importer, given, matrix.channels);
  const Value input =
      importer.meaning(node, given, rows_and_channels(given.axes, importer.spatial_rank()));
  bool bias = matrix.bias;
  if (bias && !importer.constant(node, 2).holds(matrix.features)) {
    throw InputError("", "its bias does not have " + std::to_string(matrix.features) + " elements");
  }
  if (!bias) bias = importer.takes_bias(node, matrix.features);
  Attributes attributes{{"features", matrix.features}};
  Axes axes = input.axes;
  axes.back().extent = matrix.features;
  const bool flat = importer.layer(input).output.positions() == 1;
  if (!flat) attributes.set("kernel", std::int64_t{1});
  attributes.set("bias", bias);
  importer.add(node, flat ? "dense" : "convolution", {input.layer}, attributes, axes);
}

struct Operands {
  Axes left, right;
  std::size_t rank() const { return left.size(); }
  std::int64_t rows() const { return left[rank() - 2].extent; }
  std::int64_t summed() const { return left.back().extent; }
  std::int64_t columns() const { return right.back().extent; }
  /// Of the right one, as a product with values does.
  bool sums_positions() const {
    return right.back().axis == Axis::channel && right[rank() - 2].axis != Axis::channel;
  }
};

void check_operands(const Operands& operands) {
  const std::size_t rank = operands.rank();
  bool fits = rank == operands.right.size() && rank >= 3 &&
              operands.left.front().axis == Axis::sample &&
              operands.right.front().axis == Axis::sample;
  for (std::size_t i = 1; fits && i + 2 < rank; ++i) {
    fits = operands.left[i].extent == operands.right[i].extent;
  }
  if (fits && operands.right[rank - 2].extent == operands.summed()) return;
  throw InputError("", "its inputs do not fit a product of matrices, one for each sample and head",
                   "export the network without broadcasts in it");
}

void of_tensors(Importer& importer, const Node& node) {
  const Value& left = importer.tensor(node, 0);
  const Value& right = importer.tensor(node, 1);
  const Operands operands{left.axes, right.axes};
  check_operands(operands);
  // Heads and what is summed are channels, rows are positions.
  const std::size_t rank = operands.rank();
  Axes wanted = left.axes;
  std::int64_t groups = 1;
  for (std::size_t i = 1; i + 2 < rank; ++i) {
    wanted[i].axis = Axis::channel;
    groups = bounded_product({groups, wanted[i].extent}, "its output");
  }
  if (wanted[rank - 2].axis == Axis::channel) wanted[rank - 2].axis = Axis::width;
  wanted.back().axis = Axis::channel;
  if (importer.spatial_rank() == 0) throw InputError("", "the network's input has no positions");
  const Value rows = importer.meaning(node, left, wanted);
  Axes axes = wanted;
  axes.back().extent = operands.columns();
  const std::int64_t features = bounded_product({groups, operands.columns()}, "its output");
  Attributes attributes{{"features", features}, {"groups", groups}};
  if (operands.sums_positions()) attributes.set("turned", true);
  importer.add(node, "matmul", {rows.layer, importer.tensor(node, 1).layer}, attributes, axes);
}

}  // namespace

void gemm(Importer& importer, const Node& node) {
  if (integer_of(node, "transA", 0) != 0) throw InputError("", "its input is transposed");
  if (importer.tensor(node, 0).rank() != 2) {
    throw InputError("", "its input has positions and must be flat", "put a Flatten before it");
  }
  const Integers& dims = importer.constant(node, 1).dims;
  if (dims.size() != 2) throw InputError("", "its weights must be a matrix");
  const bool turned = integer_of(node, "transB", 0) != 0;
  with_weights(importer, node,
               {dims[turned ? 1 : 0], dims[turned ? 0 : 1], node.input(2) != nullptr});
}

void matmul(Importer& importer, const Node& node) {
  if (!importer.is_constant(node, 1)) return of_tensors(importer, node);
  const Integers& dims = importer.constant(node, 1).dims;
  if (dims.size() != 2) throw InputError("", "its weights must be a matrix");
  with_weights(importer, node, {dims[0], dims[1], false});
}

}  // namespace oracle::onnx
