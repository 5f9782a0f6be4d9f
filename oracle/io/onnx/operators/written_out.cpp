// Layers that an exporter writes out in smaller operators, put together again.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

/// The other input of a node of two.
const std::string& beside(const Node& node, const std::string& input) {
  return node.inputs[node.inputs.front() == input ? 1 : 0];
}

bool has_two(const Node* node) { return node != nullptr && node->inputs.size() == 2; }

/// The reader of `node` of this type among several; nullptr where there is none or more than one.
const Node* reader_of_type(const Importer& importer, const Node& node, std::string_view type) {
  const Node* found = nullptr;
  for (const Node* reader : importer.readers(node)) {
    if (reader->type != type) continue;
    if (found != nullptr) return nullptr;
    found = reader;
  }
  return found;
}

/// What follows the mean of x in (x − mean)/√(mean of (x − mean)² + ε).
struct Normalization {
  std::vector<const Node*> steps;  ///< the last is the quotient
};

std::optional<Normalization> normalization_after(const Importer& importer, const Node& mean) {
  const std::string& x = mean.inputs.front();
  const Node* difference = importer.only_reader(mean, "Sub");
  if (!has_two(difference) || difference->inputs.front() != x) return {};
  const Node* square = reader_of_type(importer, *difference, "Pow");
  if (square == nullptr) square = reader_of_type(importer, *difference, "Mul");
  if (square == nullptr || importer.readers(*difference).size() != 2) return {};
  const Node* variance = importer.only_reader(*square, "ReduceMean");
  if (variance == nullptr) return {};
  const Node* shifted = importer.only_reader(*variance, "Add");
  if (!has_two(shifted)) return {};
  const Node* root = importer.only_reader(*shifted, "Sqrt");
  if (root == nullptr) return {};
  const Node* quotient = importer.only_reader(*root, "Div");
  if (!has_two(quotient) || quotient->inputs.front() != difference->outputs.front()) return {};
  return Normalization{{difference, square, variance, shifted, root, quotient}};
}

/// The Mul and the Add of weights behind a normalization, where both are there.
std::vector<const Node*> affine_after(const Importer& importer, const Node& quotient,
                                      std::int64_t channels) {
  const auto is_weight = [&](const Node& node, const Node& before) {
    const std::string& name = beside(node, before.outputs.front());
    const Value* value = importer.known(name);
    return value != nullptr && value->constant && value->tensor.real &&
           !value->tensor.sources.empty() && value->tensor.holds(channels);
  };
  const Node* scale = importer.only_reader(quotient, "Mul");
  if (!has_two(scale) || !is_weight(*scale, quotient)) return {};
  const Node* shift = importer.only_reader(*scale, "Add");
  if (!has_two(shift) || !is_weight(*shift, *scale)) {
    // The shift may be what the network ends with.
    const auto& readers = importer.readers(*scale);
    if (readers.size() != 1 || readers.front()->type != "Add" || !has_two(readers.front()) ||
        !is_weight(*readers.front(), *scale)) {
      return {};
    }
    shift = readers.front();
  }
  return {scale, shift};
}

}  // namespace

bool layer_norm_written_out(Importer& importer, const Node& mean) {
  const Value input = importer.tensor(mean, 0);
  const std::int64_t channels = importer.shape(input).channels();
  const auto found = normalization_after(importer, mean);
  const bool of_channels =
      input.axes.back() == Dim(Axis::channel, channels) &&
      axes_to_reduce(importer, mean, input.rank()) == std::vector<std::size_t>{input.rank() - 1};
  if (!found || !of_channels) return false;
  const std::vector<const Node*> affine = affine_after(importer, *found->steps.back(), channels);
  if (affine.empty()) return false;
  std::vector<const Node*> nodes = {&mean};
  nodes.insert(nodes.end(), found->steps.begin(), found->steps.end());
  nodes.insert(nodes.end(), affine.begin(), affine.end());
  importer.add_for(nodes, "layer_norm", {input.layer}, {}, input.axes);
  return true;
}

bool gelu_written_out(Importer& importer, const Node& quotient) {
  // x/√2 → erf → + 1 → · x → · ½
  if (!has_two(&quotient) || importer.is_constant(quotient, 0)) return false;
  const Node* erf = importer.only_reader(quotient, "Erf");
  const Node* sum = erf == nullptr ? nullptr : importer.only_reader(*erf, "Add");
  const Node* product = sum == nullptr ? nullptr : importer.only_reader(*sum, "Mul");
  if (!has_two(product)) return false;
  if (beside(*product, sum->outputs.front()) != quotient.inputs.front()) return false;
  const auto& readers = importer.readers(*product);
  const bool halved = readers.size() == 1 && readers.front()->type == "Mul" &&
                      has_two(readers.front()) && !readers.front()->outputs.empty();
  if (!halved) return false;
  const Value* half = importer.known(beside(*readers.front(), product->outputs.front()));
  if (half != nullptr && !half->constant) return false;
  const Value input = importer.tensor(quotient, 0);
  importer.add_for({&quotient, erf, sum, product, readers.front()}, "activation", {input.layer},
                   {{"function", std::string("gelu")}}, input.axes);
  return true;
}

bool group_normalization(Importer& importer, const Node& split, const Integers& extents) {
  const Node* norm = importer.only_reader(split, "InstanceNormalization");
  const Node* back = norm == nullptr ? nullptr : importer.only_reader(*norm, "Reshape");
  const Value input = importer.tensor(split, 0);
  const std::int64_t channels = importer.shape(input).channels();
  if (back == nullptr || extents.size() != 3 || channels % extents[1] != 0) return false;
  const Value image = importer.image(split, 0);
  importer.add_for({&split, norm, back}, "group_norm", {image.layer},
                   {{"groups", extents[1]}, {"affine", false}}, image.axes);
  return true;
}

}  // namespace oracle::onnx
