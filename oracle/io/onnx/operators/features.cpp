// What mixes features or normalizes them.

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

const Value& flat_input(const Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  if (input.rank == 2) return input;
  throw InputError("", "its input has positions and must be flat",
                   "put a Flatten before it; matrix products over positions are not known");
}

void dense(Importer& importer, const Node& node, bool turned, bool bias_input) {
  const Value& input = flat_input(importer, node);
  const Tensor& weights = importer.constant(node, 1);
  if (weights.dims.size() != 2) throw InputError("", "its weights must be a matrix");
  const std::int64_t channels = weights.dims[turned ? 1 : 0];
  const std::int64_t features = weights.dims[turned ? 0 : 1];
  if (channels != importer.layer(input).output.channels()) {
    throw InputError("", "its weights are for " + std::to_string(channels) +
                             " channels and its input has " +
                             to_text(importer.layer(input).output));
  }
  bool bias = bias_input;
  if (bias && !importer.constant(node, 2).holds(features)) {
    throw InputError("", "its bias does not have " + std::to_string(features) + " elements");
  }
  if (!bias) bias = importer.takes_bias(node, features);
  Attributes attributes;
  attributes.set("features", features);
  attributes.set("bias", bias);
  importer.add(node, "dense", attributes);
}

}  // namespace

void gemm(Importer& importer, const Node& node) {
  if (integer_of(node, "transA", 0) != 0) throw InputError("", "its input is transposed");
  dense(importer, node, integer_of(node, "transB", 0) != 0, node.input(2) != nullptr);
}

void matmul(Importer& importer, const Node& node) {
  if (!importer.is_constant(node, 1)) {
    throw InputError("", "a product of two tensors that both depend on the samples is not known",
                     "describe the network as in models/README.md");
  }
  dense(importer, node, false, false);
}

void batch_normalization(Importer& importer, const Node& node) {
  const std::int64_t channels = importer.layer(importer.tensor(node, 0)).output.channels();
  if (!importer.constant(node, 1).holds(channels) || !importer.constant(node, 2).holds(channels)) {
    throw InputError("", "its weights do not have " + std::to_string(channels) + " elements");
  }
  importer.add(node, "batch_norm");
}

void local_response_normalization(Importer& importer, const Node& node) {
  Attributes attributes;
  attributes.set("size", integer_of(node, "size", 5));
  importer.add(node, "local_response_norm", attributes);
}

/// The last softmax belongs to the loss.
void softmax(Importer& importer, const Node& node) {
  const Value& input = importer.tensor(node, 0);
  if (!importer.is_output(node) || axis_of(integer_of(node, "axis", -1), input.rank) != 1) {
    throw InputError("", "a softmax is known over the channels at the end of a network only",
                     "describe the network as in models/README.md");
  }
  importer.set(node, input);
}

void loss(Importer& importer, const Node& node) {
  importer.add(node, "softmax_loss", {importer.tensor(node, 0).layer}, {}, 1);
}

}  // namespace oracle::onnx
