#include "validate/program/pieces.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/layout/halo.h"
#include "oracle/plan/layout/slide.h"

namespace oracle {
namespace {

constexpr std::string_view kFurtherInput = "further_input";

/// The dispatch that the rows which a layer reads come from; null where none does.
const Layer* dispatch_before(const Graph& graph, LayerId id) {
  do {
    id = graph[id].inputs.front();
  } while (id > 0 && graph[id].routed != Routed::dispatch);
  return id > 0 ? &graph[id] : nullptr;
}

/// Whatever rows go through routes them by the same scores.
void check_route(const Graph& graph, LayerId id) {
  const Layer& layer = graph[id];
  const bool joins = layer.routed == Routed::combine;
  if (!joins && layer.routed != Routed::expert) return;
  const Layer* dispatch = dispatch_before(graph, id);
  if (dispatch == nullptr) {
    throw InputError("layer " + layer.name, "its rows come from no \"dispatch\"",
                     "put one before it");
  }
  const std::int64_t experts = graph[dispatch->inputs[1]].output.channels();
  const bool alike =
      joins ? layer.inputs[1] == dispatch->inputs[1] && layer.per_token == dispatch->per_token
            : layer.experts == experts;
  if (alike) return;
  throw InputError("layer " + layer.name,
                   "it does not route rows as " + dispatch->name + " does, which they come from",
                   "give both the same scores, \"experts\" as many as these and \"per_token\"");
}

void check_layers(const Graph& graph, const Training& training) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    if (!owner_of_weights(graph, id)) {
      throw InputError("layer " + layer.name,
                       "it shares a weight with a layer of another kind, which no kernel runs",
                       "give it weights of its own");
    }
    if (layer.kind->name == kFurtherInput && !is_second_text(graph, id)) {
      throw InputError(
          "layer " + layer.name,
          "it is another input of the network, and no data has more than a second text",
          "leave it out, or look it up in a table");
    }
    if (layer.keeps_input && !keeps_input(layer, training)) {
      throw InputError("--framework", "rows of experts are weighted behind their last product here",
                       "leave out --framework");
    }
    check_route(graph, id);
  }
}

/// What a micro-batch adds to a gradient is summed into shards, if at all.
void check_sums(const Graph& graph, const Plan& plan) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    const bool is_summed = gradient_axes(plan.assignment.effects[id]) != 0 && graph[id].trainable();
    if (!is_summed || !plan.strategy.sums_each_micro_batch() || plan.shards(id) > 1) continue;
    throw InputError("layer " + graph[id].name, "no rank sums a whole gradient in each micro-batch",
                     "write sync=step");
  }
}

/// A convolution's forward and a transposed one's backward read wide positions.
bool reads_wide(const Layer& layer, Pass pass) {
  return layer.transposed == (pass == Pass::backward_data);
}

/// What a cut leaves to a rank of which no kernel makes its part.
void check_cut(const Layer& layer, const Effects& effects) {
  const bool tokens = layer.routed == Routed::dispatch || layer.routed == Routed::combine;
  const bool in_parts = std::any_of(effects.begin(), effects.end(), [](const CutEffect& effect) {
    return effect.input == State::sequence;
  });
  if (!tokens || !in_parts) return;
  throw InputError("layer " + layer.name,
                   "an expert would have rows of its own for each part of a text, which no kernel "
                   "runs",
                   "shard samples, features or experts, and not the positions");
}

/// Ways of the plan that no rank goes.
void check_ways(const Plan& plan) {
  const Precision& precision = plan.training.precision;
  if (precision.narrow.bits > 0) {
    throw InputError("--precision",
                     "no kernel here multiplies in " + std::string(precision.name) + " yet",
                     "write --precision bf16");
  }
  if (std::any_of(plan.pieces.begin(), plan.pieces.end(),
                  [](const Piece& piece) { return piece.frozen; })) {
    throw InputError("--train", "all weights are trained here", "leave out --train and --lora");
  }
  if (!plan.wide.empty()) {
    throw InputError("--framework", "no kernel here casts as autocast does",
                     "leave out --framework " + plan.training.framework.id);
  }
  if (plan.strategy.token_groups != 0) {
    throw InputError("--strategy", "no rank sends a token once to a group of experts yet",
                     "leave out token_groups=");
  }
  if (plan.strategy.backup != 0) {
    throw InputError("--strategy", "ranks here wait for all gradients", "leave out backup=");
  }
  if (plan.strategy.offload != Offload{}) {
    throw InputError("--strategy", "offload is priced, not executed: a rank here has one memory",
                     "leave out offload=");
  }
  if (plan.strategy.tensor_overlap) {
    throw InputError("--strategy",
                     "tensor_overlap is priced, not executed: products here are whole",
                     "leave out tensor_overlap=");
  }
  if (plan.strategy.expert_overlap) {
    throw InputError("--strategy",
                     "expert_overlap is priced, not executed: a rank here runs one turn at a time",
                     "leave out expert_overlap=");
  }
  if (!plan.strategy.expert_load.is_even()) {
    throw InputError(
        "--strategy",
        "every expert gets an even share of rows here: a token goes to the best of its "
        "experts that have room",
        "leave out expert_load=");
  }
}

/// By layer the parts in which its positions are dealt: one where they are no text's, as of an
/// image or of the rows of experts.
std::vector<std::int64_t> dealt_parts(const Graph& graph, const Plan& plan) {
  const std::int64_t of_texts = plan.group_size(dealt_axes(graph, plan.assignment));
  std::vector<std::int64_t> parts(graph.size(), 1);
  std::vector<bool> rows(graph.size(), false);
  for (LayerId id = 0; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    const bool follows = id > 0 && layer.routed != Routed::combine && rows[layer.inputs.front()];
    rows[id] = layer.routed == Routed::dispatch || follows;
    if (!rows[id] && layer.output[Axis::sequence] > 1) parts[id] = of_texts;
  }
  return parts;
}

void check_copies(const Graph& graph, const Plan& plan) {
  if (plan.copies.empty()) return;
  const WeightCopy& copy = plan.copies.front();
  throw InputError("layer " + graph[copy.user].name,
                   "it lies in another stage than the weight that it shares with " +
                       graph[copy.owner].name + ", which no kernel runs",
                   "use fewer pipeline stages");
}

}  // namespace

bool is_second_text(const Graph& graph, LayerId id) {
  const Layer& layer = graph[id];
  return layer.kind->name == kFurtherInput && !layer.trainable() && is_looked_up(graph, id);
}

Pieces::Pieces(const Graph& graph, const Plan& plan, std::int64_t samples)
    : graph_(graph),
      plan_(plan),
      mesh_(plan.degrees),
      samples_(samples),
      dealt_(dealt_parts(graph, plan)) {
  check_layers(graph, plan.training);
  for (LayerId id = 0; id < graph.size(); ++id) check_cut(graph[id], plan.assignment.effects[id]);
  check_ways(plan);
  check_sums(graph, plan);
  check_copies(graph, plan);
}

Whole Pieces::whole(LayerId id) const {
  Whole whole = whole_of(graph_[id], samples_);
  whole.dealt = dealt_[id];
  return whole;
}

Region Pieces::in_layout(LayerId tensor, const Layout& layout, int rank) const {
  return region_of(whole(tensor), layout, mesh_, rank);
}

Region Pieces::output(LayerId id, int rank) const {
  return in_layout(id, plan_.pieces[id].output_layout, rank);
}

Region Pieces::input(LayerId id, std::size_t index, int rank) const {
  return in_layout(graph_[id].inputs[index], demanded_input(graph_, plan_.assignment, id, index),
                   rank);
}

bool Pieces::cuts(LayerId id, std::size_t spatial_axis) const {
  return spatial_degree(plan_.assignment.effects[id], plan_.degrees, spatial_axis) > 1;
}

std::vector<std::size_t> Pieces::halo_axes(LayerId id, Pass pass) const {
  std::vector<std::size_t> found;
  const Layer& layer = graph_[id];
  for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
    const int axis = spatial_axis_of(plan_.assignment.effects[id][a].input);
    if (axis < 0) continue;
    const auto s = static_cast<std::size_t>(axis);
    if (std::find(found.begin(), found.end(), s) != found.end()) continue;
    const std::int64_t degree = spatial_degree(plan_.assignment.effects[id], plan_.degrees, s);
    const Halo halo =
        pass == Pass::forward ? forward_halo(layer, s, degree) : backward_halo(layer, s, degree);
    if (halo.sent > 0) found.push_back(s);
  }
  return found;
}

Fit Pieces::fit(LayerId id, Pass pass, std::size_t s, int rank) const {
  const Layer& layer = graph_[id];
  const Interval in = input(id, 0, rank).along[kFirstSpatial + s].front();
  const Interval out = output(id, rank).along[kFirstSpatial + s].front();
  const bool forward = pass == Pass::forward;
  const Interval& computed = forward ? out : in;
  const Interval& held = forward ? in : out;
  return reads_wide(layer, pass) ? gathering_fit(layer, s, computed, held)
                                 : spreading_fit(layer, s, computed);
}

Interval Pieces::read(LayerId id, Pass pass, std::size_t s, int rank) const {
  const Fit f = fit(id, pass, s, rank);
  return reads_wide(graph_[id], pass) ? f.wide : f.narrow;
}

Region Pieces::source(LayerId id, Pass pass, int rank) const {
  return pass == Pass::forward ? input(id, 0, rank) : output(id, rank);
}

Region Pieces::with_halos(LayerId id, Pass pass, SpatialSet done, int rank) const {
  Region region = source(id, pass, rank);
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (((done >> s) & 1U) == 0) continue;
    const Interval wanted = read(id, pass, s, rank);
    Interval& held = region.along[kFirstSpatial + s].front();
    held = {std::min(held.begin, wanted.begin), std::max(held.end, wanted.end)};
  }
  return region;
}

Fit gathering_fit(const Layer& layer, std::size_t axis, Interval narrow, Interval held) {
  const Slide s = slide_of(layer, axis);
  const Positions read = s.read_by({narrow.begin, narrow.end});
  Fit fit;
  fit.narrow = narrow;
  fit.wide = {std::max<std::int64_t>(read.begin, 0), std::min(read.end, s.wide)};
  fit.wide.end = std::max(fit.wide.end, held.end);
  fit.pad_before = std::max<std::int64_t>(-read.begin, 0);
  fit.pad_after = std::max<std::int64_t>(read.end - s.wide, 0);
  return fit;
}

Fit spreading_fit(const Layer& layer, std::size_t axis, Interval wide) {
  const Slide s = slide_of(layer, axis);
  const Positions touched = s.touched_by({wide.begin, wide.end});
  Fit fit;
  fit.narrow = {std::max<std::int64_t>(touched.begin, 0), std::min(touched.end, s.narrow)};
  if (fit.narrow.size() <= 0) {
    throw InputError("layer " + layer.name,
                     "a rank's slab lies where no window reaches, which no kernel runs",
                     "shard that axis into fewer slabs");
  }
  const Positions covered = s.read_by({fit.narrow.begin, fit.narrow.end});
  fit.wide = {std::max(wide.begin, covered.begin), wide.end};
  fit.pad_before = fit.wide.begin - covered.begin;
  fit.pad_after = std::max<std::int64_t>(covered.end - fit.wide.end, 0);
  return fit;
}

}  // namespace oracle
