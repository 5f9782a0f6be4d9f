// What is made of an operator that ONNX does not have: a layer of which only the tensors are known,
// and the weights that it reads.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/importer.h"
#include "oracle/io/onnx/naming.h"

namespace oracle::onnx {
namespace {

constexpr const char* kShapesRemedy =
    "write the shapes into it (onnx.shape_inference.infer_shapes), with the batch as the first "
    "axis";

/// Meanings for `extents` behind the batch: those of the axes of `like` where there are as many,
/// else the channels first.
Axes meanings(const Integers& extents, const Axes& like, std::size_t spatial_rank) {
  Axes axes = {{Axis::sample, extents.front()}};
  for (std::size_t i = 1; i < extents.size(); ++i) {
    Axis axis = Axis::channel;
    const std::size_t behind = extents.size() - i;  // itself included
    if (i > 1 && behind <= spatial_rank) axis = kSpatialAxes[kSpatialAxes.size() - behind];
    if (like.size() == extents.size() && !like[i].factors().empty() && !like[i].has_samples()) {
      axis = like[i].meaning();
    }
    axes.emplace_back(axis, extents[i]);
  }
  return axes;
}

}  // namespace

void Importer::stream(const Node& node) {
  std::vector<LayerId> inputs;
  Axes like;
  for (std::size_t at = 0; at < node.inputs.size(); ++at) {
    const Value* found = known(node.inputs[at]);
    if (found == nullptr || found->constant) continue;
    const Value& read = tensor(node, at);
    inputs.push_back(read.layer);
    if (like.empty()) like = read.axes;
  }
  if (inputs.empty()) {
    throw InputError("", "it does not depend on the samples, and its values are not known",
                     "fold constants before exporting (onnxsim)");
  }
  if (like.empty() || !like.front().is_samples()) {
    throw InputError("",
                     "its input does not have the batch for its first axis, so its output's is "
                     "not known",
                     "describe the network as in models/README.md");
  }
  ++notes_.skipped;
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    if (is_read(node, output)) stream_output(node, output, inputs, like);
  }
}

void Importer::stream_output(const Node& node, std::size_t output,
                             const std::vector<LayerId>& inputs, const Axes& like) {
  const auto found = model_.shapes.find(node.outputs[output]);
  const bool written_down =
      shapes_hold_ && found != model_.shapes.end() && !found->second.dims.empty();
  Integers extents;
  for (std::size_t i = 0; written_down && i < found->second.dims.size(); ++i) {
    const auto& extent = found->second.dims[i];
    const auto named = symbols_.find(found->second.names[i]);
    if (extent) {
      extents.push_back(*extent);
    } else if (named != symbols_.end()) {
      extents.push_back(named->second);
    } else {
      extents.push_back(i == 0 ? batch_ : 0);
    }
  }
  bool known_all = written_down;
  for (const std::int64_t extent : extents) {
    known_all = known_all && extent >= 1 && extent <= kMostExtent;
  }
  if (!known_all) {
    throw InputError(
        "",
        "the file does not say which shape " + in_quotes(node.outputs[output]) +
            " has, so it has no price",
        shapes_hold_ ? kShapesRemedy : "export the network with that input in place of --input");
  }
  if (extents.front() != batch_) {
    throw InputError("",
                     "the first axis of " + in_quotes(node.outputs[output]) + " is " +
                         std::to_string(extents.front()) + " and not the batch of " +
                         std::to_string(batch_) + ", so what a sample has of it is not known",
                     kShapesRemedy);
  }
  const Axes axes = meanings(extents, like, spatial_rank_);
  Attributes attributes = written(shape_of(axes), spatial_rank_);
  attributes.set("operator", plain_name(node.type));
  const std::int64_t stored = newly_stored(node);
  if (stored > 0) attributes.set("stored", stored);
  notes_.skipped_parameters += stored;
  Value value;
  value.layer = builder_.add(name_for(node), "opaque", inputs, attributes);
  value.axes = axes;
  set(node, std::move(value), output);
}

}  // namespace oracle::onnx
