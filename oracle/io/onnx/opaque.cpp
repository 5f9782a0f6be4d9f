// What is made of an operator that is not known: a layer of which only the tensors are.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/importer.h"
#include "oracle/io/onnx/naming.h"

namespace oracle::onnx {
namespace {

/// Meanings for `dims`: those of the axes of `like` where there are as many, else the channels
/// first.
Axes meanings(const Dims& dims, const Axes& like, std::size_t spatial_rank) {
  Axes axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Axis axis = i == 0 ? Axis::sample : Axis::channel;
    const std::size_t behind = dims.size() - i;  // itself included
    if (i > 1 && behind <= spatial_rank) axis = kSpatialAxes[kSpatialAxes.size() - behind];
    if (like.size() == dims.size()) axis = like[i].axis;
    axes.push_back({axis, axis == Axis::sample ? 1 : dims[i].value_or(0)});
  }
  return axes;
}

}  // namespace

void Importer::stream(const Node& node) {
  std::vector<LayerId> inputs;
  Axes like;
  for (const std::string& name : node.inputs) {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.constant || found->second.label) continue;
    if (found->second.padded()) throw InputError("", "it reads the output of a Pad");
    inputs.push_back(found->second.layer);
    if (like.empty()) like = found->second.axes;
  }
  if (inputs.empty()) {
    throw InputError("", "it does not depend on the samples, and its values are not known",
                     "fold constants before exporting (onnxsim)");
  }
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    if (is_read(node, output)) stream_output(node, output, inputs, like);
  }
}

void Importer::stream_output(const Node& node, std::size_t output,
                             const std::vector<LayerId>& inputs, const Axes& like) {
  const auto found = model_.shapes.find(node.outputs[output]);
  bool known = shapes_hold_ && found != model_.shapes.end() && !found->second.empty();
  for (std::size_t i = 1; known && i < found->second.size(); ++i) {
    known = found->second[i] && *found->second[i] <= kMostExtent;
  }
  if (!known) {
    throw InputError("",
                     "the file does not say which shape " + in_quotes(node.outputs[output]) +
                         " has, so it has no price",
                     shapes_hold_ ? "write the shapes into it (onnx.shape_inference.infer_shapes)"
                                  : "export the network with that input in place of --input");
  }
  const Axes axes = meanings(found->second, like, spatial_rank_);
  Attributes attributes = written(shape_of(axes), spatial_rank_);
  attributes.set("operator", plain_name(node.type));
  add(node, "opaque", inputs, attributes, axes, output);
}

}  // namespace oracle::onnx
