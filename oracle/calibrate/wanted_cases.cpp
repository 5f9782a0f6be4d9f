#include "oracle/calibrate/wanted_cases.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// Numbers that come with a sample, as the network's input does: no kernel makes them.
constexpr std::string_view kFurtherInput = "further_input";

/// `extent` cut as `whole` was to `part`; extents that differ from the whole's (a gate of one
/// position) stay as they are.
std::int64_t cut_alike(std::int64_t extent, std::int64_t whole, std::int64_t part) {
  if (extent != whole)
    return whole > 0 && extent * part % whole == 0 ? extent * part / whole : extent;
  return part;
}

/// Whether a cut of the first input along that axis leaves the other inputs whole.
bool leaves_others_whole(const Effects& effects, Axis axis) {
  return std::any_of(effects.begin(), effects.end(), [&](const CutEffect& effect) {
    return effect.others_replicated && is_sharded(effect.input) && axis_of(effect.input) == axis;
  });
}

/// The input number `index` of a piece: cut as the first one is, but for what is left whole.
Shape local_input(const Graph& graph, const Layer& layer, const Piece& piece,
                  const Effects& effects, std::size_t index) {
  if (index == 0) return piece.read();
  Shape shape = graph[layer.inputs[index]].output;
  for (std::size_t axis = 0; axis < kAxisCount; ++axis) {
    // Scores of tokens are of all experts.
    const bool scores =
        layer.routed != Routed::no && axis == static_cast<std::size_t>(Axis::channel);
    if (shape.extent[axis] == 1 || scores || leaves_others_whole(effects, kAxes[axis])) continue;
    shape.extent[axis] =
        cut_alike(shape.extent[axis], layer.input.extent[axis], piece.input.extent[axis]);
  }
  return shape;
}

/// Rows of its part of a table.
std::int64_t local_entries(const Piece& piece) {
  return std::max<std::int64_t>(1, piece.weights / piece.output.channels());
}

/// A part of the queries of causal attention: that in the middle of the keys, whose queries read as
/// many in the mean as all of a text.
void place_queries(Attributes& local, const Layer& layer, const Piece& piece) {
  const std::int64_t whole = layer.input.positions(), part = piece.input.positions();
  if (layer.heads.keys > 0 && layer.heads.causal && part < whole) {
    local.set("first", (whole - part) / 2);
  }
}

/// As written, but for what the cut changes.
Attributes local_attributes(const Attributes& written, const Layer& layer, const Piece& piece) {
  Attributes local;
  const bool slides = layer.window != Window{};
  for (const auto& [name, value] : written.all()) {
    const bool pads =
        name == "pad" || name == "pad_before" || name == "pad_after" || name == "ceil";
    // Those that are turned are of each head.
    if (name == "features" && layer.heads.turned == 0) {
      local.set(name, cut_alike(std::get<std::int64_t>(value), layer.output.channels(),
                                piece.output.channels()));
    } else if (name == "groups" || name == "kv_heads") {
      local.set(name, piece.groups);
    } else if (name == "experts") {
      local.set(name, piece.experts);
    } else if (name == "elements") {
      local.set(name, piece.weights);
    } else if (name == "entries") {
      local.set(name, local_entries(piece));
    } else if (name == "heads") {
      local.set(name, cut_alike(std::get<std::int64_t>(value), layer.input.channels(),
                                piece.input.channels()));
    } else if (!(slides && pads)) {
      local.set(name, value);
    }
  }
  place_queries(local, layer, piece);
  return local;
}

/// Sets padding by which the window makes the piece's output; false where none does.
bool pad_to_output(LayerCase& of, const Layer& layer, const Piece& piece) {
  std::vector<std::int64_t> before, after;
  for (std::size_t axis = kSpatialAxes.size() - layer.spatial_rank; axis < kSpatialAxes.size();
       ++axis) {
    const Window& window = layer.window;
    const std::int64_t in = of.inputs[0][kSpatialAxes[axis]],
                       out = piece.output[kSpatialAxes[axis]];
    const std::int64_t read =
        (out - 1) * window.stride[axis] + window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    before.push_back(std::clamp<std::int64_t>(read - in, 0, window.pad_before[axis]));
    after.push_back(std::max<std::int64_t>(0, read - in - before.back()));
  }
  of.attributes.set("pad_before", before);
  of.attributes.set("pad_after", after);
  return layer_of(of).output == piece.output;
}

std::optional<LayerCase> local_case(const Graph& graph, const Plan& plan, LayerId id) {
  const Layer& layer = graph[id];
  const Piece& piece = plan.pieces[id];
  if (piece.steps > 1) return std::nullopt;
  LayerCase of;
  of.kind = layer.kind->name;
  of.samples = piece.samples;
  of.spatial_rank = layer.spatial_rank;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    of.inputs.push_back(local_input(graph, layer, piece, plan.assignment.effects[id], i));
  }
  of.attributes = local_attributes(graph.written[id], layer, piece);
  try {
    const bool slides = layer.window != Window{} && !layer.transposed && of.kind != "adaptive_pool";
    if (slides && layer.spatial_rank > 0 ? !pad_to_output(of, layer, piece)
                                         : layer_of(of).output != piece.output) {
      return std::nullopt;
    }
    // The mean over all positions of a slab has the whole map's window.
    if (layer_of(of).window.kernel != layer.window.kernel) return std::nullopt;
    // Flat inputs of a network over positions keep their written rank; a line gives it back.
    static_cast<void>(layer_of(parse_layer_case(to_text(of))));
  } catch (const InputError&) {
    return std::nullopt;
  }
  return of;
}

/// Two tensors of the piece's output: with an addition of two the sum of two gradients is measured.
LayerCase sum_of_two(const Layer& layer, const Piece& piece) {
  LayerCase of;
  of.kind = "add";
  of.samples = piece.samples;
  of.spatial_rank = layer.spatial_rank;
  of.inputs.assign(2, piece.output);
  return of;
}

std::vector<LayerCase> gradient_sums(const Graph& graph, const Plan& plan) {
  std::vector<LayerCase> cases;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const Work* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->pass != Pass::gradient_sum) continue;
      cases.push_back(sum_of_two(graph[work->layer], plan.pieces[work->layer]));
    }
  }
  return cases;
}

}  // namespace

WantedCases wanted_cases(const Graph& graph, const Plan& plan) {
  WantedCases out;
  std::set<std::string> seen;
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph[id].kind->name == kFurtherInput) continue;
    const std::optional<LayerCase> of = local_case(graph, plan, id);
    if (!of) {
      out.not_written.push_back(graph[id].name);
    } else if (seen.insert(to_text(*of)).second) {
      out.cases.push_back(*of);
    }
  }
  for (const LayerCase& of : gradient_sums(graph, plan)) {
    if (seen.insert(to_text(of)).second) out.cases.push_back(of);
  }
  return out;
}

}  // namespace oracle
