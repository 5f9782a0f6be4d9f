#include "tests/properties/totals.h"

#include <array>

#include "oracle/plan/busiest_rows.h"

namespace oracle {
namespace {

constexpr double kRounding = 1e-9;

/// Into how many parts a layer's tensors fall, read off the layouts of its piece.
struct Cuts {
  std::array<std::int64_t, kAxisCount> input{1, 1, 1, 1, 1, 1};
  std::array<std::int64_t, kAxisCount> output{1, 1, 1, 1, 1, 1};
  std::int64_t sums = 1;     ///< degrees over which the output is a partial sum
  std::int64_t summed = 1;   ///< of those, over features: the rest sums positions
  std::int64_t grouped = 1;  ///< features in, features out
  std::int64_t rows = 1;     ///< of a table that is looked up
  std::int64_t experts = 1;
};

Cuts cuts_of(const Plan& plan, LayerId id) {
  Cuts parts;
  const Piece& piece = plan.pieces[id];
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const State in = piece.input_layout[a], out = piece.output_layout[a];
    const std::int64_t degree = plan.degrees[a];
    if (is_sharded(in)) parts.input[static_cast<std::size_t>(axis_of(in))] *= degree;
    if (is_sharded(out)) parts.output[static_cast<std::size_t>(axis_of(out))] *= degree;
    if (out == State::partial) parts.sums *= degree;
    if (out == State::partial && in == State::channel) parts.summed *= degree;
    if (in == State::channel && out == State::channel) parts.grouped *= degree;
    if (plan.assignment.effects[id][a].cuts_filters && out == State::partial) parts.rows *= degree;
    if (plan.assignment.effects[id][a].cuts_experts) parts.experts *= degree;
  }
  return parts;
}

double ranks_of_stage(const Plan& plan) {
  return static_cast<double>(plan.ranks() / plan.group_size(plan.pipeline_axes));
}

/// Takes `extent` in `parts` into account.
void cut(Totals& totals, std::int64_t extent, std::int64_t parts) {
  totals.even = totals.even && extent % parts == 0;
  totals.most *= static_cast<double>(extent + parts - 1) / static_cast<double>(extent);
}

/// Parts of the input features that a cut can separate.
std::int64_t input_grains(const Graph& graph, const Layer& layer) {
  return layer.input.channels() / graph[layer.inputs.front()].grain;
}

}  // namespace

Totals operations(const Graph& graph, const Plan& plan, LayerId id, Pass pass) {
  const Layer& layer = graph[id];
  const Piece& piece = plan.pieces[id];
  const Cuts parts = cuts_of(plan, id);
  const auto batch = static_cast<double>(plan.training.batch);
  const auto outputs = static_cast<double>(layer.output.elements());
  const double per_output = layer.of(pass).flops_per_output;
  const bool works = pass != Pass::backward_weights || layer.learns();

  Totals totals;
  totals.serial = layer.flops(pass) * batch;
  if (works) totals.serial += per_output * outputs * batch * static_cast<double>(parts.sums - 1);
  totals.serial *= static_cast<double>(piece.redundancy);
  totals.most = totals.serial;
  cut(totals, plan.training.batch, plan.strategy.micro_batches);
  cut(totals, plan.micro_batch_samples(), parts.output[0]);
  for (std::size_t d = 1; d < kAxisCount; ++d) {
    const bool channels = d == static_cast<std::size_t>(Axis::channel);
    cut(totals, layer.output.extent[d] / (channels ? layer.grain : 1), parts.output[d]);
  }
  const RowsHeld rows = rows_held(graph, plan.strategy, plan.degrees, id, piece.output_layout);
  totals.even = totals.even && rows.most == rows.even;
  totals.most *= rows.of(1);
  if (layer.reduction > 0) cut(totals, input_grains(graph, layer), parts.summed);

  const double local_outputs =
      static_cast<double>(piece.output.elements()) * static_cast<double>(piece.samples);
  const double local = (2 * static_cast<double>(piece.reduction) + per_output) * local_outputs;
  totals.over_ranks =
      works ? local * ranks_of_stage(plan) * static_cast<double>(plan.strategy.micro_batches) : 0;
  return totals;
}

Totals parameters(const Graph& graph, const Plan& plan, LayerId id) {
  const Layer& layer = graph[id];
  const Cuts parts = cuts_of(plan, id);
  const std::int64_t by_filter = parts.output[static_cast<std::size_t>(Axis::channel)];
  Totals totals;
  for (const Weight& weight : layer.weights) {
    const std::int64_t cut_by = layer.looks_up ? parts.rows : by_filter;
    const std::int64_t filters = weight.features_out > 1 ? cut_by : 1;
    const std::int64_t channels = weight.features_in > 1 ? parts.summed : 1;
    Totals one;
    one.serial = one.most = static_cast<double>(weight.elements) * ranks_of_stage(plan) /
                            static_cast<double>(filters * channels * parts.experts);
    cut(one, layer.looks_up ? weight.features_out : layer.output.channels() / layer.grain, filters);
    cut(one, input_grains(graph, layer), channels);
    totals.serial += one.serial;
    totals.most += one.most;
    totals.even = totals.even && one.even;
  }
  totals.over_ranks = static_cast<double>(plan.pieces[id].weights) * ranks_of_stage(plan);
  return totals;
}

AxisSet axes_to_sum(const Plan& plan, LayerId id) {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const State in = plan.pieces[id].input_layout[a];
    // Ranks with different experts have gradients of different weights.
    if (plan.assignment.effects[id][a].cuts_experts) continue;
    if (is_sharded(in) && in != State::channel) axes |= AxisSet{1} << a;
    // A weight that all heads share is whole on ranks with different heads.
    const bool shared = in == State::channel &&
                        plan.pieces[id].output_layout[a] == State::channel &&
                        plan.assignment.effects[id][a].partial_weight_gradient;
    if (shared) axes |= AxisSet{1} << a;
  }
  return axes;
}

std::vector<std::pair<AxisSet, double>> sums_of(const Plan& plan, LayerId id) {
  const AxisSet all = axes_to_sum(plan, id);
  const AxisSet shards = plan.strategy.zero > 0 ? all & ~plan.replica_axes : AxisSet{0};
  std::vector<std::pair<AxisSet, double>> sums;
  double part = 1;
  for (const AxisSet axes : {shards, all & ~shards}) {
    if (axes == 0) continue;
    sums.emplace_back(axes, part);
    part /= static_cast<double>(plan.group_size(axes));
  }
  return sums;
}

std::string broken(const Totals& totals) {
  const double slack = kRounding * totals.serial;
  const auto text = [&](const char* what) {
    return what + (": " + std::to_string(totals.over_ranks)) + ", serial " +
           std::to_string(totals.serial) + ", at most " + std::to_string(totals.most);
  };
  if (totals.over_ranks < totals.serial - slack) return text("something is not done");
  if (totals.over_ranks > totals.most + slack) return text("more is done than rounding explains");
  if (totals.even && totals.over_ranks > totals.serial + slack) return text("done twice");
  return "";
}

}  // namespace oracle
