#include "oracle/report/item_tables.h"

#include <algorithm>
#include <array>
#include <variant>

#include "oracle/evaluate/memory_course.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

bool is_pipeline(const Evaluation& evaluation) {
  return evaluation.plan && evaluation.plan->stages.size() > 1;
}

/// A column that only pipelines show.
Column stage_column(const Evaluation& evaluation) {
  return is_pipeline(evaluation) ? number_column("stage", "stage") : data_column("stage");
}

Cell stage_cell(std::size_t stage) { return count(static_cast<std::int64_t>(stage)); }

/// "8×64x112x112": samples and what one rank holds of the output of each. No blank, so it never
/// wraps.
std::string piece_text(const Evaluation& evaluation, LayerId layer) {
  if (!evaluation.plan || layer >= evaluation.plan->pieces.size()) return {};
  const Piece& piece = evaluation.plan->pieces[layer];
  return grouped(piece.samples) + "×" + to_text(piece.output);
}

/// "in conv1_1" for people where another layer's kernel computes it.
Cell pass_cell(const Graph& graph, const LayerTime& layer, const Cost& own, bool elsewhere) {
  Cell cell = cost(own);
  if (elsewhere) cell.text = "in " + layer_name(graph, *layer.computed_in);
  return cell;
}

Cell payload_cell(Payload payload) {
  Cell cell = named(name_of(payload));
  if (payload == Payload::activation_gradient) cell.text = "its gradient";
  return cell;
}

/// "4, node": how many ranks, and the topmost level between them.
std::string group_text(const TransferTime& transfer) {
  if (transfer.computed) return {};
  return grouped(transfer.ranks) + ", " + transfer.level;
}

struct PhaseSums {
  Seconds computed;  ///< beside the passes of layers
  Seconds communication, exposed;
  Bytes sent;
};

Seconds compute_of(const Breakdown& parts, Phase phase) {
  switch (phase) {
    case Phase::forward:
      return parts.forward;
    case Phase::backward:
      return parts.backward;
    case Phase::update:
      return parts.update;
    case Phase::exchange:
      break;
  }
  return {};
}

/// What an event does: a layer's pass, a transfer, or a message to another stage.
std::string subject_of(const Graph& graph, const Plan& plan, const Event& event) {
  if (event.item == kMessage) return "message";
  const Item& item = plan.stages[event.stage].items[event.item];
  if (const auto* work = std::get_if<Work>(&item.what)) {
    return layer_name(graph, work->layer) + " " + std::string(name_of(work->pass));
  }
  if (const auto* step = std::get_if<Compression>(&item.what)) {
    return layer_name(graph, step->layer) + " " + std::string(name_of(step->step));
  }
  const Transfer& transfer = std::get<Transfer>(item.what);
  return layer_name(graph, transfer.layer) + " " + std::string(name_of(transfer.collective));
}

}  // namespace

Cell way_cell(std::string_view way) {
  std::string text(way);
  std::replace(text.begin(), text.end(), '_', '-');
  return {.text = text, .name = identifier(way)};
}

Table layer_table(const Graph& graph, const Evaluation& evaluation) {
  Table table{.key = "layers",
              .title = "by layer (one rank, whole step)",
              .columns = {text_column("layer", "layer"), left_out(text_column("kind", "kind"), 1),
                          stage_column(evaluation), left_out(text_column("piece", "piece"), 2),
                          data_column("computed_in"), number_column("forward", "forward", "s"),
                          number_column("backward_data", "back data", "s"),
                          number_column("backward_weights", "back weights", "s"),
                          number_column("total", "total", "s"),
                          left_out(number_column("share", "of step", "1"), 3)},
              .rows = {}};
  const Fits* fits = evaluation.fits();
  if (!fits) return table;
  for (const LayerTime& layer : fits->layers) {
    const bool known = layer.layer < graph.size() && graph[layer.layer].kind;
    table.rows.push_back(
        {{words(layer_name(graph, layer.layer)),
          words(known ? graph[layer.layer].kind->name : std::string_view{}),
          stage_cell(layer.stage), words(piece_text(evaluation, layer.layer)),
          layer.computed_in ? words(layer_name(graph, *layer.computed_in)) : Cell{},
          pass_cell(graph, layer, layer.forward, layer.computed_in.has_value()),
          pass_cell(graph, layer, layer.backward_data, layer.backward_too),
          cost(layer.backward_weights), time(layer.total()),
          share(share_of(layer.total(), fits->timeline.length))}});
  }
  return table;
}

Table transfer_table(const Graph& graph, const Evaluation& evaluation) {
  const bool repeated = evaluation.strategy.micro_batches > 1;
  Table table{.key = "transfers",
              .title = "by transfer (one rank, whole step)",
              .columns = {text_column("layer", "layer"), text_column("payload", "moves"),
                          text_column("collective", "by"),
                          left_out(text_column("algorithm", "algorithm"), 1),
                          left_out(label_column("over"), 3), data_column("ranks"),
                          data_column("level"), stage_column(evaluation), data_column("phase"),
                          repeated ? number_column("times", "times") : data_column("times"),
                          left_out(number_column("buffer", "buffer", "B"), 2),
                          data_column("sent", "B"), number_column("time", "time", "s"),
                          number_column("exposed", "exposed", "s"), data_column("sharing")},
              .rows = {}};
  const Fits* fits = evaluation.fits();
  if (!fits) return table;
  for (const TransferTime& t : fits->transfers) {
    table.rows.push_back(
        {{words(layer_name(graph, t.transfer.layer)), payload_cell(t.transfer.payload),
          way_cell(t.way()), words(t.algorithm), words(group_text(t)), count(t.ranks),
          words(t.level), stage_cell(t.stage), named(name_of(t.phase)), count(t.times),
          size(t.transfer.bytes), size(t.sent), cost(t.cost), time(t.exposed),
          Cell{.text = significant(t.sharing), .value = t.sharing}}});
  }
  return table;
}

Table phase_table(const Evaluation& evaluation) {
  Table table{
      .key = "phases",
      .title = "by phase (the busiest stage)",
      .columns = {text_column("phase", "phase"), number_column("compute", "compute", "s"),
                  number_column("communication", "communication", "s"),
                  number_column("exposed", "exposed", "s"), number_column("sent", "sent", "B")},
      .rows = {}};
  const Fits* fits = evaluation.fits();
  if (!fits) return table;
  std::array<PhaseSums, kPhaseCount> sums{};
  for (const TransferTime& transfer : fits->transfers) {
    if (transfer.stage != fits->timeline.slowest_stage) continue;
    PhaseSums& sum = sums[static_cast<std::size_t>(transfer.phase)];
    (transfer.computed ? sum.computed : sum.communication) += transfer.cost.time;
    sum.exposed += transfer.exposed;
    sum.sent += transfer.sent;
  }
  for (std::size_t p = 0; p < kPhaseCount; ++p) {
    const auto phase = static_cast<Phase>(p);
    table.rows.push_back(
        {{named(name_of(phase)),
          time(compute_of(fits->timeline.breakdown, phase) + sums[p].computed),
          time(sums[p].communication), time(sums[p].exposed), size(sums[p].sent)}});
  }
  return table;
}

Table memory_course_table(const Graph& graph, const Evaluation& evaluation) {
  Table table{
      .key = "memory_course",
      .title = {},
      .columns = {data_column("stage"), data_column("time", "s"), data_column("transient", "B")},
      .rows = {},
      .shown = false};
  const Fits* fits = evaluation.fits();
  if (!fits || !evaluation.plan) return table;
  for (const MemoryPoint& point : memory_course(graph, *evaluation.plan, fits->timeline)) {
    table.rows.push_back({{count(point.stage), time(point.at), memory_size(point.transient)}});
  }
  return table;
}

Table event_table(const Graph& graph, const Evaluation& evaluation) {
  Table table{.key = "events",
              .title = {},
              .columns = {data_column("stage"), data_column("micro_batch"), data_column("stream"),
                          data_column("phase"), data_column("item"), data_column("start", "s"),
                          data_column("end", "s")},
              .rows = {},
              .shown = false};
  const Fits* fits = evaluation.fits();
  if (!fits || !evaluation.plan) return table;
  for (const Event& event : fits->timeline.events) {
    table.rows.push_back(
        {{count(event.stage), count(event.micro_batch), named(name_of(event.stream)),
          named(name_of(event.phase)), words(subject_of(graph, *evaluation.plan, event)),
          time(event.start), time(event.end)}});
  }
  return table;
}

}  // namespace oracle::report
