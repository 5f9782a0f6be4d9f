#include "validate/record/prediction.h"

#include <algorithm>
#include <string_view>

#include "oracle/report/sections.h"
#include "oracle/report/text.h"
#include "validate/record/fields.h"

namespace oracle {
namespace {

/// "4×8x16x16", as a report writes it.
std::string piece_text(const Plan& plan, LayerId layer) {
  const Piece& piece = plan.pieces[layer];
  return report::grouped(piece.samples) + "×" + to_text(piece.output);
}

/// Of a pipeline.
std::size_t ranks_of(const Measurement& run) {
  std::size_t stages = run.update.size();
  for (const LayerSeconds& layer : run.layers) stages = std::max(stages, layer.stage + 1);
  return std::max<std::size_t>(1, stages / static_cast<std::size_t>(run.chunks));
}

StepParts items_of(const Measurement& run, std::size_t stage) {
  const std::size_t ranks = ranks_of(run);
  const auto lies_there = [&](std::size_t other) { return other % ranks == stage % ranks; };
  StepParts parts;
  for (const LayerSeconds& layer : run.layers) {
    if (!lies_there(layer.stage)) continue;
    parts.forward += layer.forward;
    parts.backward += layer.backward_data + layer.backward_weights;
  }
  for (const TransferSeconds& transfer : run.transfers) {
    if (!lies_there(transfer.stage)) continue;
    const bool waits = transfer.phase == "forward" || transfer.phase == "backward";
    (waits ? parts.exposed_activation : parts.exposed_gradient) += transfer.exposed;
  }
  for (std::size_t s = stage % ranks; s < run.update.size(); s += ranks) {
    parts.update += run.update[s];
  }
  return parts;
}

double sum(const StepParts& parts) {
  return parts.forward + parts.backward + parts.update + parts.exposed();
}

StepParts parts_of(const Breakdown& parts) {
  return {parts.forward.value,          parts.backward.value,
          parts.update.value,           parts.exposed_activation.value,
          parts.exposed_gradient.value, parts.bubble.value};
}

}  // namespace

std::size_t busiest_stage(const Measurement& run) {
  const std::size_t ranks = ranks_of(run);
  std::size_t busiest = 0;
  double most = 0;
  for (std::size_t stage = 0; stage < ranks; ++stage) {
    const double busy = sum(items_of(run, stage));
    if (busy <= most) continue;
    most = busy;
    busiest = stage;
  }
  return busiest;
}

StepParts parts_of(const Measurement& run, std::size_t stage, double step) {
  StepParts parts = items_of(run, stage);
  parts.rest = std::max(0.0, step - sum(parts));
  return parts;
}

Prediction prediction_of(const Graph& graph, const Cluster& cluster, const Evaluation& evaluation) {
  const Fits& fits = *evaluation.fits();
  Prediction prediction;
  const Training& training = evaluation.training;
  prediction.asked = {graph.name,
                      report::strategy_text(evaluation.strategy),
                      std::string(training.precision.name),
                      std::string(training.optimizer.name),
                      cluster.id,
                      training.batch,
                      evaluation.ranks};
  prediction.step = fits.step;
  prediction.parts = parts_of(fits.timeline.breakdown);
  prediction.stage = fits.timeline.slowest_stage;
  prediction.memory = fits.memory.allocated().value;
  for (const LayerTime& layer : fits.layers) {
    prediction.layers.push_back({layer.stage, graph[layer.layer].name,
                                 piece_text(*evaluation.plan, layer.layer),
                                 layer.forward.time.value, layer.backward_data.time.value,
                                 layer.backward_weights.time.value});
  }
  for (const TransferTime& time : fits.transfers) {
    prediction.transfers.push_back({time.stage, report::layer_name(graph, time.transfer.layer),
                                    report::identifier(name_of(time.transfer.payload)),
                                    std::string(time.way()), std::string(name_of(time.phase)),
                                    time.cost.time.value, time.exposed.value, time.sent.value,
                                    time.sent.value});
  }
  prediction.assumptions = evaluation.assumptions;
  return prediction;
}

Prediction prediction_of(const Measurement& run, std::int64_t warm_up) {
  const StepSpread spread = spread_after(run, warm_up);
  Prediction prediction;
  prediction.asked = run.asked;
  const double width = std::max(spread.p90 - spread.median, spread.median - spread.p10);
  prediction.step = {Seconds{spread.median}, Source::measured,
                     spread.median > 0 ? width / spread.median : 0};
  prediction.stage = busiest_stage(run);
  prediction.parts = parts_of(run, *prediction.stage, spread.median);
  prediction.memory = run.peak_memory;
  prediction.layers = run.layers;
  prediction.transfers = run.transfers;
  prediction.is_run = true;
  return prediction;
}

Prediction parse_prediction(const json::Document& document, std::int64_t warm_up) {
  const std::string schema = schema_of(document);
  if (schema == kEvaluationSchema) return read_evaluation(document);
  if (schema == kRunSchema) return prediction_of(parse_measurement(document), warm_up);
  refuse_schema(document,
                "what oracle estimate --format json answers, or the result of an earlier run");
}

}  // namespace oracle
