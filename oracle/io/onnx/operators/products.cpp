// Matrix products: with weights on either side, and of two tensors (attention, written out).
//
// Each axis of an operand has a label, as in an Einsum. A label of both operands and of the output
// is a group (a head), one of both alone is summed, one of a single operand is a row or a column. A
// product with weights is a dense layer, or a convolution of window 1 at each row; one of two
// tensors is a "matmul" by groups.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

constexpr const char* kAgain = "export the network without broadcasts in it";

/// A label for each axis.
using Labels = std::string;

bool has(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }

struct Product {
  Labels left, right, made;
};

/// Labels of a MatMul: a letter for each axis, the groups aligned at the last one.
Product labels_of_matmul(std::size_t left, std::size_t right) {
  if (left == 0 || right == 0 || std::max(left, right) > 10) {
    throw InputError("", "its inputs are not matrices");
  }
  Product product;
  const std::size_t groups = std::max(left, right) > 2 ? std::max(left, right) - 2 : 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const char label = static_cast<char>('a' + i);
    if (i + left >= groups + 2) product.left += label;
    if (i + right >= groups + 2) product.right += label;
    product.made += label;
  }
  product.left += left > 1 ? "mk" : "k";
  product.right += right > 1 ? "kn" : "k";
  if (left > 1) product.made += "m";
  if (right > 1) product.made += "n";
  return product;
}

/// An operand without its axes of 1, which broadcast.
struct Operand {
  Labels labels;
  Axes axes;  ///< of a tensor
  Integers extents;

  std::int64_t extent(char label) const {
    const std::size_t at = labels.find(label);
    return at == Labels::npos ? 1 : extents[at];
  }
};

void drop_ones(Operand& operand) {
  for (std::size_t i = operand.labels.size(); i-- > 0;) {
    const bool samples = !operand.axes.empty() && operand.axes[i].has_samples();
    if (operand.extents[i] != 1 || samples) continue;
    operand.labels.erase(i, 1);
    operand.extents.erase(operand.extents.begin() + static_cast<std::ptrdiff_t>(i));
    if (!operand.axes.empty()) {
      operand.axes.erase(operand.axes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void check_labels(const Operand& left, const Operand& right) {
  for (std::size_t i = 0; i < left.labels.size(); ++i) {
    const char label = left.labels[i];
    if (has(right.labels, label) && right.extent(label) != left.extents[i]) {
      if (right.axes.empty()) {
        throw InputError("", "its weights are for " + std::to_string(right.extent(label)) +
                                 " channels and its input has " + std::to_string(left.extents[i]));
      }
      throw InputError("",
                       "its inputs do not fit a product: " + std::to_string(left.extents[i]) +
                           " and " + std::to_string(right.extent(label)) + " along one axis",
                       kAgain);
    }
  }
}

/// The left operand as rows at positions, and all else channels.
Axes rows_and_channels(const Operand& left, const Labels& right, std::size_t spatial_rank) {
  Axes wanted = left.axes;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (has(right, left.labels[i])) {
      wanted[i] = wanted[i].as(Axis::channel);
    } else if (!wanted[i].is(Axis::channel) || wanted[i].per_sample() == 1) {
      continue;
    } else {
      if (spatial_rank == 0) throw MorePositions{1};
      wanted[i] = wanted[i].as(Axis::width);
    }
  }
  return wanted;
}

struct Extents {
  std::int64_t groups = 1, summed = 1, columns = 1;
};

Extents extents_of_product(const Operand& left, const Operand& right, const Labels& made) {
  Extents extents;
  for (std::size_t i = 0; i < right.labels.size(); ++i) {
    const char label = right.labels[i];
    const bool samples = !right.axes.empty() && right.axes[i].has_samples();
    const std::int64_t extent = samples ? right.axes[i].per_sample() : right.extents[i];
    std::int64_t& of = !has(made, label)         ? extents.summed
                       : has(left.labels, label) ? extents.groups
                                                 : extents.columns;
    of = bounded_product({of, extent}, "its output");
    if (!has(made, label) && (samples || !has(left.labels, label))) {
      throw InputError("",
                       samples ? "it sums over the samples of the batch"
                               : "it sums an axis of one operand alone",
                       kAgain);
    }
  }
  return extents;
}

/// The axes of the output, of the left operand's rows and groups and the columns of the right one.
Axes made_axes(const Product& product, const Operand& left, const Axes& rows,
               const Operand& right) {
  Axes axes;
  for (const char label : product.made) {
    const std::size_t at = left.labels.find(label);
    if (at != Labels::npos) {
      axes.push_back(rows[at]);
    } else {
      axes.emplace_back(Axis::channel, right.extent(label));
    }
  }
  return axes;
}

void check_left(const Operand& left, const Operand& right, const Labels& made) {
  for (std::size_t i = 0; i < left.labels.size(); ++i) {
    if (has(made, left.labels[i])) continue;
    const bool samples = left.axes[i].has_samples();
    if (!samples && has(right.labels, left.labels[i])) continue;
    throw InputError(
        "",
        samples ? "it sums over the samples of the batch" : "it sums an axis of one operand alone",
        kAgain);
  }
}

void with_weights(Importer& importer, const Node& node, const Product& product, Operand left,
                  Operand right, const Value& value, bool has_bias) {
  // Weights that are repeated for each sample are the same for all.
  for (std::size_t i = 0; i < left.labels.size(); ++i) {
    const std::size_t at = right.labels.find(left.labels[i]);
    if (!left.axes[i].is_samples() || at == Labels::npos) continue;
    right.labels.erase(at, 1);
    right.extents.erase(right.extents.begin() + static_cast<std::ptrdiff_t>(at));
  }
  check_left(left, right, product.made);
  const Extents extents = extents_of_product(left, right, product.made);
  const Axes rows = rows_and_channels(left, right.labels, importer.spatial_rank());
  Value of_left = value;
  of_left.axes = left.axes;
  const Value input = importer.meaning(node, of_left, rows);
  const std::int64_t features = bounded_product({extents.groups, extents.columns}, "its output");
  const bool flat = importer.shape(input).positions() == 1 && extents.groups == 1;
  if (!flat && importer.spatial_rank() == 0) throw MorePositions{1};
  bool bias =
      has_bias && importer.is_constant(node, 2) && importer.constant(node, 2).holds(features);
  if (!has_bias) bias = importer.takes_bias(node, features);
  Attributes attributes{{"features", features}};
  if (!flat) attributes.set("kernel", std::int64_t{1});
  if (extents.groups > 1) attributes.set("groups", extents.groups);
  attributes.set("bias", bias);
  importer.add(node, flat ? "dense" : "convolution", {input.layer}, attributes,
               made_axes(product, left, rows, right));
}

/// Whether the right operand's positions are summed, as a product with values does.
bool sums_positions(const Operand& right, const Labels& made, const Labels& left) {
  for (std::size_t i = 0; i < right.labels.size(); ++i) {
    const char label = right.labels[i];
    const bool summed = !has(made, label), column = has(made, label) && !has(left, label);
    if (right.axes[i].per_sample() == 1 || (!summed && !column)) continue;
    if (summed == right.axes[i].is(Axis::channel)) return false;
  }
  return true;
}

void of_tensors(Importer& importer, const Node& node, const Product& product, const Operand& left,
                const Operand& right, const Value& left_value, const Value& right_value) {
  for (std::size_t i = 0; i < left.labels.size(); ++i) {
    if (!left.axes[i].has_samples()) continue;
    const std::size_t at = right.labels.find(left.labels[i]);
    const bool same =
        at != Labels::npos && right.axes[at].has_samples() && has(product.made, left.labels[i]);
    if (!same) {
      throw InputError("", "it multiplies samples of the batch with each other",
                       "export the network up to the features that it compares");
    }
  }
  check_left(left, right, product.made);
  const Extents extents = extents_of_product(left, right, product.made);
  if (importer.spatial_rank() == 0) throw MorePositions{1};
  const Axes rows = rows_and_channels(left, right.labels, importer.spatial_rank());
  Value of_left = left_value;
  of_left.axes = left.axes;
  const Value input = importer.meaning(node, of_left, rows);
  const std::int64_t features = bounded_product({extents.groups, extents.columns}, "its output");
  Attributes attributes{{"features", features}, {"groups", extents.groups}};
  if (sums_positions(right, product.made, left.labels)) attributes.set("turned", true);
  importer.add(node, "matmul", {input.layer, right_value.layer}, attributes,
               made_axes(product, left, rows, right));
}

Operand operand_of(const Value& value, const Labels& labels) {
  if (value.extents().size() != labels.size()) {
    throw InputError("", "its inputs do not have the axes that it multiplies");
  }
  Operand operand{labels, value.constant ? Axes{} : value.axes, value.extents()};
  drop_ones(operand);
  return operand;
}

/// A product of constants is one.
void multiply_constants(Importer& importer, const Node& node, const Product& product) {
  Value made;
  made.constant = true;
  made.tensor.real = true;
  double multiply_adds = 1;
  const Operand left = operand_of(importer.value(node, 0), product.left);
  const Operand right = operand_of(importer.value(node, 1), product.right);
  check_labels(left, right);
  for (const char label : product.made) {
    made.tensor.dims.push_back(std::max(left.extent(label), right.extent(label)));
    multiply_adds *= static_cast<double>(made.tensor.dims.back());
  }
  for (const char label : left.labels) {
    if (!has(product.made, label)) multiply_adds *= static_cast<double>(left.extent(label));
  }
  made.tensor.elements();
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const auto& sources = importer.constant(node, at).sources;
    made.tensor.sources.insert(sources.begin(), sources.end());
  }
  importer.pass_over_products(multiply_adds);
  importer.set(node, std::move(made));
}

void multiply_out(Importer& importer, const Node& node, const Product& product,
                  bool has_bias = false) {
  const bool constants = importer.is_constant(node, 0) && importer.is_constant(node, 1);
  if (constants && !importer.make_tensor(node, 0) && !importer.make_tensor(node, 1)) {
    return multiply_constants(importer, node, product);
  }
  const bool swapped = importer.is_constant(node, 0);
  const std::size_t first = swapped ? 1 : 0, second = swapped ? 0 : 1;
  const Value left_value = importer.tensor(node, first);
  const bool weights = importer.is_constant(node, second);
  const Value right_value = weights ? importer.value(node, second) : importer.tensor(node, second);
  const Operand left = operand_of(left_value, swapped ? product.right : product.left);
  const Operand right = operand_of(right_value, swapped ? product.left : product.right);
  check_labels(left, right);
  if (weights) {
    with_weights(importer, node, product, left, right, left_value, has_bias);
  } else {
    of_tensors(importer, node, product, left, right, left_value, right_value);
  }
}

/// The labels of "bij,bjk->bik" without spaces; the output's are sorted where it is not written.
Product labels_of_einsum(std::string equation, std::size_t inputs) {
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  const std::string read = equation.substr(0, arrow);
  const std::size_t comma = read.find(',');
  const bool one_comma =
      comma != std::string::npos && read.find(',', comma + 1) == std::string::npos;
  if (inputs > 2 || (inputs == 2) != one_comma || equation.find('.') != std::string::npos) {
    throw InputError("", "its equation " + in_quotes(equation) + " is not a product of two tensors",
                     "write it as MatMul");
  }
  Product product{read.substr(0, comma), inputs == 2 ? read.substr(comma + 1) : "", {}};
  if (arrow != std::string::npos) {
    product.made = equation.substr(arrow + 2);
  } else {
    Labels all = product.left + product.right;
    std::sort(all.begin(), all.end());
    for (const char label : all) {
      if (std::count(all.begin(), all.end(), label) == 1) product.made += label;
    }
  }
  for (const Labels* labels : {&product.left, &product.right, &product.made}) {
    Labels sorted = *labels;
    std::sort(sorted.begin(), sorted.end());
    if (std::unique(sorted.begin(), sorted.end()) != sorted.end()) {
      throw InputError("", "its equation " + in_quotes(equation) + " takes a diagonal",
                       "write it as MatMul");
    }
  }
  for (const char label : product.made) {
    if (has(product.left, label) || has(product.right, label)) continue;
    throw InputError("", "its equation " + in_quotes(equation) + " makes an axis of none");
  }
  return product;
}

/// An Einsum of one tensor turns its axes, and sums those that are left out.
void einsum_of_one(Importer& importer, const Node& node, const Product& product) {
  const Value input = importer.tensor(node, 0);
  if (input.rank() != product.left.size()) {
    throw InputError("", "its equation does not fit its input");
  }
  Axes axes;
  for (const char label : product.made) axes.push_back(input.axes[product.left.find(label)]);
  for (std::size_t i = 0; i < input.rank(); ++i) {
    if (input.axes[i].has_samples() && !has(product.made, product.left[i])) {
      throw InputError("", "it sums over the samples of the batch", kAgain);
    }
  }
  if (axes.size() < input.rank()) {
    return importer.add_general(node, "reduction", {input.layer}, axes);
  }
  Value turned = input;
  turned.axes = axes;
  importer.set(node, std::move(turned));
}

}  // namespace

void gemm(Importer& importer, const Node& node) {
  const Product product{integer_of(node, "transA", 0) != 0 ? "km" : "mk",
                        integer_of(node, "transB", 0) != 0 ? "nk" : "kn", "mn"};
  const bool has_bias = node.input(2) != nullptr;
  if (!has_bias) return multiply_out(importer, node, product);
  const Tensor* bias = importer.is_constant(node, 2) ? &importer.constant(node, 2) : nullptr;
  const Integers matrix = importer.value(node, 1).extents();
  if (matrix.size() != 2) throw InputError("", "its second input is not a matrix");
  const std::int64_t columns = matrix[integer_of(node, "transB", 0) != 0 ? 0 : 1];
  if (bias != nullptr && bias->holds(columns)) {
    return multiply_out(importer, node, product, true);
  }
  // What is added is no bias of its features: a layer of its own.
  Node whole = node, sum = node;
  whole.outputs = {"/product of " + node.outputs.front()};
  whole.inputs.resize(2);
  sum.type = "Add";
  sum.inputs = {whole.outputs.front(), *node.input(2)};
  sum.attributes.clear();
  multiply_out(importer, whole, product);
  combine(importer, sum);
}

void matmul(Importer& importer, const Node& node) {
  multiply_out(importer, node,
               labels_of_matmul(importer.value(node, 0).extents().size(),
                                importer.value(node, 1).extents().size()));
}

void einsum(Importer& importer, const Node& node) {
  const Product product = labels_of_einsum(text_of(node, "equation", ""), node.inputs.size());
  if (node.inputs.size() == 1) return einsum_of_one(importer, node, product);
  multiply_out(importer, node, product);
}

}  // namespace oracle::onnx
