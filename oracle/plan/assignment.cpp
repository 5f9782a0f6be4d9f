#include "oracle/plan/assignment.h"

#include <algorithm>
#include <optional>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/pattern.h"
#include "oracle/base/suggest.h"
#include "oracle/plan/busiest_rows.h"

namespace oracle {
namespace {

/// The rule of each layer: an index into strategy.rules, or -1.
std::vector<int> rule_of_layers(const Graph& graph, const Strategy& strategy) {
  std::vector<int> rule_of(graph.size(), -1);
  std::vector<bool> used(strategy.rules.size(), false), decides = used;
  for (LayerId id = 1; id < graph.size() && !strategy.rules.empty(); ++id) {
    for (std::size_t r = 0; r < strategy.rules.size(); ++r) {
      if (!matches(strategy.rules[r].pattern, graph[id].name)) continue;
      used[r] = true;
      if (rule_of[id] >= 0) continue;
      rule_of[id] = static_cast<int>(r);
      decides[r] = true;
    }
  }
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (decides[r]) continue;
    if (used[r]) {
      throw InputError("--strategy",
                       "the rule of " + in_quotes(strategy.rules[r].pattern) +
                           " decides no layer: earlier rules name all that it matches",
                       "leave it out, or put it before them");
    }
    throw InputError("--strategy",
                     "no layer of " + on_one_line(graph.name) + " matches " +
                         in_quotes(strategy.rules[r].pattern),
                     suggestion(strategy.rules[r].pattern, graph.layer_names()));
  }
  return rule_of;
}

Cut cut_for(const Layer& layer, const Strategy& strategy, int rule, std::size_t axis) {
  if (rule >= 0) return strategy.rules[static_cast<std::size_t>(rule)].cuts[axis];
  // Tokens leave their samples for experts and come back, which no layout that reaches them says.
  const bool decides = layer.mixing == Mixing::contraction || layer.routed != Routed::no;
  if (!strategy.rules.empty() && !decides) return Cut::follow;
  return strategy.mesh[axis].cut;
}

/// The state over `axis` in which the layer's input arrives: the first sharded one, else a partial
/// sum. What experts made goes where its tokens are, whose scores the last input is.
State incoming_state(const Layer& layer, const Assignment& assignment, std::size_t axis) {
  State incoming = State::replicated;
  std::span<const LayerId> inputs = layer.inputs;
  if (layer.routed == Routed::combine) inputs = inputs.last(1);
  for (const LayerId producer : inputs) {
    const State state = assignment.effects[producer][axis].output;
    if (is_sharded(state)) return state;
    if (state == State::partial) incoming = state;
  }
  return incoming;
}

/// The network's input is loaded by samples or slabs if its first consumer reads it so, else whole.
CutAnswer cut_input(const Layer& input, const Layer& consumer, Cut cut, std::int64_t degree) {
  const bool loads_parts = cut == Cut::sample || (cut >= Cut::depth && cut <= Cut::ulysses);
  if (!loads_parts) return {};
  CutAnswer answer = row_of(cut).apply(consumer, degree, State::replicated);
  if (answer.refusal) return answer;
  const State state = answer.effect.input;
  if (is_sharded(state) && state != State::sample && input.output[axis_of(state)] < degree)
    return {};
  answer.effect = {state, state, state, state, false, false, false};
  return answer;
}

template <typename Chosen>
AxisSet axes_where(const Effects& effects, Chosen chosen) {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < effects.size(); ++a) {
    if (chosen(effects[a])) axes |= AxisSet{1} << a;
  }
  return axes;
}

/// Over all axes together a tensor cannot have more parts than features or positions; each cut has
/// judged its own axis only.
std::optional<Infeasible> too_many_parts(const Layer& layer, std::int64_t input_grain,
                                         const Effects& effects,
                                         std::span<const std::int64_t> degrees) {
  std::int64_t filters = 1, channels = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (effects[a].output == State::channel) filters *= degrees[a];
    if (effects[a].input == State::channel) channels *= degrees[a];
  }
  const auto refusal = [&](Constraint constraint, std::int64_t needed, std::int64_t available,
                           std::string unit) {
    return Infeasible{constraint,
                      "layer " + layer.name,
                      static_cast<double>(needed),
                      static_cast<double>(available),
                      std::move(unit),
                      "shard them over " + std::to_string(available) + " ranks at most"};
  };
  if (filters > layer.output.channels() / layer.grain) {
    return refusal(Constraint::filters, filters, layer.output.channels() / layer.grain, "filters");
  }
  if (channels > layer.input.channels() / input_grain) {
    return refusal(Constraint::channels, channels, layer.input.channels() / input_grain,
                   "channels");
  }
  for (const Axis axis : {Axis::depth, Axis::height, Axis::width, Axis::sequence}) {
    std::int64_t degree = 1;
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      if (effects[a].input == sharded(axis)) degree *= degrees[a];
    }
    const bool sums = layer.reach == Reach::global;
    const std::int64_t extent =
        sums ? layer.input[axis] : std::min(layer.input[axis], layer.output[axis]);
    if (degree > extent) {
      return refusal(Constraint::extent, degree, extent,
                     "positions of " + std::string(name_of(axis)));
    }
  }
  return std::nullopt;
}

/// Groups that one axis divides may be too few for several together.
std::optional<Infeasible> split_groups(const Layer& layer, const Effects& effects,
                                       std::span<const std::int64_t> degrees) {
  if (layer.mixing == Mixing::channelwise) return std::nullopt;
  std::int64_t all = 1, of_keys = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (effects[a].input != State::channel || effects[a].output != State::channel) continue;
    all *= degrees[a];
    if (!effects[a].others_replicated) of_keys *= degrees[a];
  }
  const std::int64_t groups = layer.heads.queries > 0 ? layer.heads.queries : layer.groups;
  if (groups == 1 || (groups % all == 0 && layer.groups % of_keys == 0)) return std::nullopt;
  const bool keys = groups % all == 0;
  return Infeasible{Constraint::filters,
                    "layer " + layer.name,
                    static_cast<double>(keys ? of_keys : all),
                    static_cast<double>(keys ? layer.groups : groups),
                    "groups that the mesh axes together divide",
                    "shard its features over one mesh axis"};
}

/// The same of experts.
std::optional<Infeasible> split_experts(const Layer& layer, const Effects& effects,
                                        std::span<const std::int64_t> degrees) {
  std::int64_t all = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (effects[a].cuts_experts) all *= degrees[a];
  }
  if (layer.experts % all == 0) return std::nullopt;
  return Infeasible{Constraint::filters,
                    "layer " + layer.name,
                    static_cast<double>(all),
                    static_cast<double>(layer.experts),
                    "experts that the mesh axes together divide",
                    "shard them over one mesh axis"};
}

/// A slab must hold the halo its neighbour asks for.
std::optional<Infeasible> thin_slab(const Layer& layer, const Effects& effects,
                                    std::span<const std::int64_t> degrees) {
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    const std::int64_t degree = spatial_degree(effects, degrees, s);
    if (degree == 1) continue;
    const Halo in = forward_halo(layer, s, degree), out = backward_halo(layer, s, degree);
    const std::int64_t slab_in = layer.input[kSpatialAxes[s]] / degree;
    const std::int64_t slab_out = layer.output[kSpatialAxes[s]] / degree;
    const bool forward_fits = std::max(in.before, in.after) <= slab_in;
    if (forward_fits && std::max(out.before, out.after) <= slab_out) continue;
    const Halo& halo = forward_fits ? out : in;
    return Infeasible{Constraint::halo,
                      "layer " + layer.name,
                      static_cast<double>(std::max(halo.before, halo.after)),
                      static_cast<double>(forward_fits ? slab_out : slab_in),
                      "planes of " + std::string(name_of(kSpatialAxes[s])) + " per rank",
                      "shard that axis into fewer slabs"};
  }
  return std::nullopt;
}

/// The largest of `degree` parts, of whole grains each.
std::int64_t parts(std::int64_t extent, std::int64_t degree, std::int64_t grain = 1) {
  return (extent / grain + degree - 1) / degree * grain;
}

/// Extents of one rank's part of `shape`, whose channels stay together in grains.
Shape local_shape(Shape shape, std::int64_t grain, const Layout& layout,
                  std::span<const std::int64_t> degrees) {
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (!is_sharded(layout[a]) || layout[a] == State::sample) continue;
    std::int64_t& extent = shape[axis_of(layout[a])];
    extent = parts(extent, degrees[a], layout[a] == State::channel ? grain : 1);
  }
  return shape;
}

/// Weights come in whole filters and whole channels, so a rank with one feature more has all of
/// its. `input_grain`: of the input's channels.
std::int64_t local_weights(const Layer& layer, std::int64_t input_grain, std::int64_t filter_parts,
                           std::int64_t channel_parts, bool shared_only) {
  const std::int64_t filters = layer.output.channels(), channels = layer.input.channels();
  std::int64_t sum = 0;
  for (const Weight& weight : layer.weights) {
    std::int64_t elements = weight.elements;
    if (shared_only && weight.owner == 0) continue;
    if (weight.features_out > 1 && filter_parts > 1) {
      const std::int64_t grain = weight.features_out == filters ? layer.grain : 1;
      elements = elements / weight.features_out * parts(weight.features_out, filter_parts, grain);
    }
    if (weight.features_in > 1 && channel_parts > 1) {
      elements = elements / channels * parts(channels, channel_parts, input_grain);
    }
    sum += elements;
  }
  return sum;
}

/// True where input number `index` stays whole over a mesh axis that shards the first one: each
/// rank reads all of it, or it has extent 1 there and the layer's output more.
bool is_replicated(const Graph& graph, const Layer& layer, std::size_t index,
                   const CutEffect& effect) {
  if (index > 0 && effect.others_replicated) return true;
  const int axis = spatial_axis_of(effect.input);
  if (axis < 0) return false;
  const Axis spatial = kSpatialAxes[static_cast<std::size_t>(axis)];
  return graph[layer.inputs[index]].output[spatial] == 1 && layer.output[spatial] > 1;
}

/// Whether the inputs of both layers, which are alike, arrive in the same states.
bool are_read_alike(const Graph& graph, const Assignment& assignment, LayerId one, LayerId other) {
  const std::vector<LayerId>&inputs = graph[one].inputs, &others = graph[other].inputs;
  return std::equal(inputs.begin(), inputs.end(), others.begin(),
                    [&](LayerId a, LayerId b) { return assignment.treats_alike(a, b); });
}

}  // namespace

int spatial_axis_of(State state) {
  if (state < State::depth || state > State::width) return -1;
  return static_cast<int>(state) - static_cast<int>(State::depth);
}

AxisSet axes_along(const Effects& effects, std::size_t spatial_axis) {
  return axes_where(effects, [&](const CutEffect& effect) {
    return spatial_axis_of(effect.input) == static_cast<int>(spatial_axis);
  });
}

AxisSet gradient_axes(const Effects& effects) {
  return axes_where(effects,
                    [](const CutEffect& effect) { return effect.partial_weight_gradient; });
}

AxisSet ring_axes(const Effects& effects) {
  return axes_where(effects, [](const CutEffect& effect) { return effect.passes_others; });
}

AxisSet dealt_axes(const Graph& graph, const Assignment& assignment) {
  AxisSet axes = 0;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (!graph[id].heads.causal) continue;
    axes |= axes_where(assignment.effects[id],
                       [](const CutEffect& effect) { return effect.input == State::sequence; });
  }
  return axes;
}

AxisSet feature_axes(const Effects& effects) {
  return axes_where(effects,
                    [](const CutEffect& effect) { return effect.input == State::channel; });
}

AxisSet statistics_axes(const Layer& layer, const Effects& effects, BatchNormMode mode) {
  if (!layer.batch_statistics || mode == BatchNormMode::local) return 0;
  return axes_where(effects, [&](const CutEffect& effect) {
    const bool over_samples = effect.input == State::sample && mode == BatchNormMode::synchronized;
    return over_samples || spatial_axis_of(effect.input) >= 0;
  });
}

std::int64_t spatial_degree(const Effects& effects, std::span<const std::int64_t> degrees,
                            std::size_t spatial_axis) {
  std::int64_t degree = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (spatial_axis_of(effects[a].input) == static_cast<int>(spatial_axis)) degree *= degrees[a];
  }
  return degree;
}

std::variant<Effects, Infeasible> effects_of(const Graph& graph, const Assignment& assignment,
                                             LayerId id, std::span<const Cut> cuts,
                                             std::span<const std::int64_t> degrees) {
  const Layer& layer = graph[id];
  Effects effects{};
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    CutAnswer answer =
        id == 0 ? cut_input(layer, graph[graph.consumers[0].front()], cuts[a], degrees[a])
                : row_of(cuts[a]).apply(layer, degrees[a], incoming_state(layer, assignment, a));
    if (answer.refusal) return std::move(*answer.refusal);
    effects[a] = answer.effect;
  }
  if (id == 0) return effects;  // its first reader answers for it
  const std::int64_t input_grain = graph[layer.inputs.front()].grain;
  if (auto refusal = too_many_parts(layer, input_grain, effects, degrees)) {
    return std::move(*refusal);
  }
  if (auto refusal = split_groups(layer, effects, degrees)) return std::move(*refusal);
  if (auto refusal = split_experts(layer, effects, degrees)) return std::move(*refusal);
  if (auto refusal = thin_slab(layer, effects, degrees)) return std::move(*refusal);
  return effects;
}

std::variant<Assignment, Infeasible> assign(const Graph& graph, const Strategy& strategy) {
  Assignment assignment;
  assignment.effects.resize(graph.size());
  assignment.like.resize(graph.size());
  const std::vector<int> rule_of = rule_of_layers(graph, strategy);
  const std::vector<std::int64_t> degrees = strategy.degrees();
  const LayerId first_consumer = graph.consumers[0].front();
  std::array<Cut, kMaxMeshAxes> cuts{};
  for (LayerId id = 0; id < graph.size(); ++id) {
    const LayerId before = graph.like(id);
    if (before != 0 && rule_of[before] == rule_of[id] &&
        are_read_alike(graph, assignment, before, id)) {
      assignment.effects[id] = assignment.effects[before];
      assignment.like[id] = assignment.like[before];
      continue;
    }
    assignment.like[id] = id;
    const LayerId decisive = id == 0 ? first_consumer : id;
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      cuts[a] = cut_for(graph[decisive], strategy, rule_of[decisive], a);
    }
    auto effects =
        effects_of(graph, assignment, id, std::span(cuts).first(degrees.size()), degrees);
    if (auto* refusal = std::get_if<Infeasible>(&effects)) return std::move(*refusal);
    assignment.effects[id] = std::get<Effects>(effects);
  }
  return assignment;
}

Layout demanded_input(const Graph& graph, const Assignment& assignment, LayerId id,
                      std::size_t index) {
  Layout layout{};
  for (std::size_t a = 0; a < kMaxMeshAxes; ++a) {
    const CutEffect& effect = assignment.effects[id][a];
    if (effect.input == State::replicated) continue;
    layout[a] = is_replicated(graph, graph[id], index, effect) ? State::replicated : effect.input;
  }
  return layout;
}

Layout delivered_gradient(const Graph& graph, const Assignment& assignment, LayerId id,
                          std::size_t index) {
  Layout layout{};
  for (std::size_t a = 0; a < kMaxMeshAxes; ++a) {
    const CutEffect& effect = assignment.effects[id][a];
    layout[a] =
        is_replicated(graph, graph[id], index, effect) ? State::partial : effect.input_gradient;
  }
  return layout;
}

Halos halos_of(const Layer& layer, const Effects& effects, std::span<const std::int64_t> degrees,
               Halo (*halo)(const Layer&, std::size_t, std::int64_t)) {
  Halos halos{};
  if (layer.reach != Reach::windowed) return halos;
  for (std::size_t s = 0; s < halos.size(); ++s) {
    const std::int64_t degree = spatial_degree(effects, degrees, s);
    if (degree > 1) halos[s] = halo(layer, s, degree);
  }
  return halos;
}

Piece make_piece(const Graph& graph, const Assignment& assignment, const Strategy& strategy,
                 std::span<const std::int64_t> degrees, LayerId id, std::int64_t samples) {
  const Layer& layer = graph[id];
  const Effects& effects = assignment.effects[id];
  Piece piece;
  std::int64_t sample_parts = 1, filter_parts = 1, channel_parts = 1, group_parts = 1;
  std::int64_t expert_parts = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    const CutEffect& effect = effects[a];
    piece.input_layout[a] = effect.input;
    piece.output_layout[a] = effect.output;
    piece.gradient_layout[a] = effect.output_gradient;
    if (effect.input == State::sample) sample_parts *= degrees[a];
    if (effect.cuts_filters) filter_parts *= degrees[a];
    if (effect.cuts_channels) channel_parts *= degrees[a];
    if (effect.cuts_experts) expert_parts *= degrees[a];
    if (effect.passes_others) piece.steps *= degrees[a];
    if (effect.input == State::channel && effect.output == State::channel)
      group_parts *= degrees[a];
    const bool staged = strategy.mesh[a].cut == Cut::pipeline;
    if (!effect.cuts() && !staged) piece.redundancy *= degrees[a];
  }
  piece.samples = parts(samples, sample_parts);
  const std::int64_t input_grain = id == 0 ? 1 : graph[layer.inputs.front()].grain;
  piece.input = local_shape(layer.input, input_grain, piece.input_layout, degrees);
  piece.output = local_shape(layer.output, layer.grain, piece.output_layout, degrees);
  const auto hold_busiest = [&](LayerId rows, const Layout& layout, Shape& local) {
    const RowsHeld held = rows_held(graph, strategy, degrees, rows, layout);
    if (held.most > held.even) local[Axis::sequence] = held.most;
  };
  if (id != 0) hold_busiest(layer.inputs.front(), piece.input_layout, piece.input);
  hold_busiest(id, piece.output_layout, piece.output);
  const Halos halos = halos_of(layer, effects, degrees, forward_halo);
  for (std::size_t s = 0; s < halos.size(); ++s) {
    piece.halo[s] = std::max<std::int64_t>(0, halos[s].held - piece.input[kSpatialAxes[s]]);
  }
  piece.frozen = layer.frozen;
  piece.reduction = layer.reduction;
  if (channel_parts > 1) {
    const std::int64_t channels = layer.input.channels();
    piece.reduction = layer.reduction / channels * parts(channels, channel_parts, input_grain);
  }
  piece.groups = parts(layer.groups, group_parts);
  piece.experts = parts(layer.experts, expert_parts);
  const std::int64_t weights =
      local_weights(layer, input_grain, filter_parts, channel_parts, false);
  piece.weights = weights / layer.experts * piece.experts;
  piece.shared = local_weights(layer, input_grain, filter_parts, channel_parts, true);
  return piece;
}

std::int64_t sample_groups(const Assignment& assignment, std::span<const std::int64_t> degrees) {
  std::int64_t most = 1;
  for (LayerId id = 0; id < assignment.effects.size(); ++id) {
    if (assignment.like[id] != id) continue;
    const Effects& effects = assignment.effects[id];
    std::int64_t groups = 1;
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      if (effects[a].input == State::sample) groups *= degrees[a];
    }
    most = std::max(most, groups);
  }
  return most;
}

}  // namespace oracle
