#include "validate/train/result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "oracle/base/statistics.h"
#include "oracle/plan/fusion.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return std::string(text.data()) + '\n';
}

Json check_json(const Equivalence& check) {
  Json errors = Json::array();
  for (const ParameterError& error : check.errors) {
    errors.push_back(
        {{"parameter", error.name}, {"relative", error.relative}, {"noise", error.noise}});
  }
  return {{"holds", check.holds()},
          {"tolerance", check.rounding.equal},
          {"loss_error", check.loss_error()},
          {"serial_losses", check.serial_losses},
          {"gradients", std::move(errors)}};
}

/// What an item is, by its parts.
Json item_json(const TrainRequest& request, const Plan& plan, const Item& item) {
  Json json = {{"phase", name_of(item.phase)}};
  if (const auto* transfer = std::get_if<Transfer>(&item.what)) {
    json["layer"] = report::layer_name(request.graph, transfer->layer);
    json["payload"] = report::identifier(name_of(transfer->payload));
    json["collective"] = name_of(transfer->collective);
    return json;
  }
  if (const auto* step = std::get_if<Compression>(&item.what)) {
    json["layer"] = report::layer_name(request.graph, step->layer);
    json["payload"] = report::identifier(name_of(Payload::compressed_gradient));
    json["collective"] = name_of(step->step);
    return json;
  }
  const auto& work = std::get<Work>(item.what);
  json["pass"] = name_of(work.pass);
  json["layer"] = report::layer_name(request.graph, work.layer);
  if (work.layer == kAllLayers) return json;
  const Piece& piece = plan.pieces[work.layer];
  json["piece"] = report::grouped(piece.samples) + "×" + to_text(piece.output);
  const LayerId last = computes_up_to(request.graph, plan, work.layer);
  const bool of_both = work.pass == Pass::forward || (work.pass == Pass::backward_data &&
                                                      is_fused_backward(request.graph, plan, last));
  if (of_both && last != work.layer) {
    json["computes_up_to"] = report::layer_name(request.graph, last);
  }
  return json;
}

/// Items in the order of the plan, stage by stage, each stage's messages to others last.
Json items_json(const TrainRequest& request, const Plan& plan, const Outcome& outcome) {
  Json items = Json::array();
  for (const ItemOutcome& ran : outcome.items) {
    Json json = {{"stage", ran.stage}, {"item", ran.name}};
    json.update(item_json(request, plan, ran.item));
    json["seconds"] = ran.seconds;
    json["sent_bytes"] = ran.sent_bytes;
    json["plan_bytes"] = ran.plan_bytes;
    items.push_back(std::move(json));
  }
  return items;
}

/// Images that a rank's workers read in a second; 0 where they are made on the way.
double images_per_second(const TrainRequest& request, const Outcome& outcome) {
  return outcome.images_per_worker_second * std::max(request.workers, 1);
}

Json input_json(const TrainRequest& request, const RunInput& input, const Outcome& outcome) {
  Json json = {{"data", input.text},
               {"wait_seconds", median_after(outcome.input_seconds, outcome.warm_up)}};
  if (input.images == 0) return json;
  json["images"] = input.images;
  json["workers"] = request.workers;
  json["images_per_second"] = images_per_second(request, outcome);
  return json;
}

Json checkpoints_json(const TrainRequest& request, const CheckpointTimes& times) {
  return {{"mode", request.checkpoints->asynchronous ? "asynchronous" : "synchronous"},
          {"every", request.checkpoints->every},
          {"count", times.written.size()},
          {"bytes", times.bytes},
          {"wait_seconds", median(times.waited)},
          {"write_seconds", median(times.written)}};
}

double median_step(const Outcome& outcome) {
  return median_after(outcome.step_seconds, untimed_steps(outcome, outcome.warm_up));
}

double mean_staleness(const Outcome& outcome) {
  return static_cast<double>(outcome.staleness.sum) /
         static_cast<double>(outcome.staleness.gradients);
}

bool scales_loss(const Plan& plan) { return plan.training.precision.compute == DataType::fp16; }

std::string input_line(const TrainRequest& request, const RunInput& input, const Outcome& outcome) {
  const double wait = median_after(outcome.input_seconds, outcome.warm_up);
  if (input.images == 0) return line("  input   generated beforehand, %.3g s of a step", wait);
  return line(
      "  input   %s: %lld images, %.4g a second by %d workers a rank, %.3g s of a step waited",
      input.text.c_str(), static_cast<long long>(input.images), images_per_second(request, outcome),
      request.workers, wait);
}

}  // namespace

std::string summary_text(const TrainRequest& request, const RunInput& input, const Plan& plan,
                         const Outcome& outcome) {
  std::string text =
      line("%s, %s, batch %lld, %lld steps on %lld ranks", request.graph.name.c_str(),
           to_text(plan.strategy).c_str(), static_cast<long long>(plan.training.batch),
           static_cast<long long>(request.steps), static_cast<long long>(plan.ranks()));
  if (outcome.first_step > 1) {
    text += line("  resumed behind step %lld", static_cast<long long>(outcome.first_step - 1));
  }
  text += line("  loss    %.6g initial, %.6g final", outcome.losses.front(), outcome.losses.back());
  if (!std::isfinite(outcome.losses.back())) {
    text += "          it has left the numbers: train with a lower --rate\n";
  }
  if (scales_loss(plan)) {
    text += line(
        "  scale   %.6g of the loss at the end, %lld steps skipped; %.3g s of a step to agree",
        outcome.loss_scale, static_cast<long long>(outcome.skipped_steps), outcome.scale_seconds);
  }
  if (outcome.staleness.gradients > 0) {
    text += line("  stale   gradients met weights that were %.3g updates newer, %lld at most",
                 mean_staleness(outcome), static_cast<long long>(outcome.staleness.most));
  }
  text += line("  step    %.6g s in the median", median_step(outcome));
  if (request.replays) {
    text += line("  graph   %lld steps replayed; items and input are timed in those before",
                 static_cast<long long>(outcome.replayed_steps));
  }
  text += input_line(request, input, outcome);
  text += line("  sent    %.6g MB a step by all ranks", outcome.sent_bytes / 1e6);
  text += outcome.unplanned_bytes == 0 ? line("  wire    %s", "every item sends what the plan says")
                                       : line("  wire    %.6g MB more or less than the plan says",
                                              outcome.unplanned_bytes / 1e6);
  text += line("  memory  %.6g MB at most on a rank, %.6g MB by the plan's footprint",
               static_cast<double>(outcome.peak_memory) / 1e6, outcome.footprint / 1e6);
  if (request.checkpoints) {
    const CheckpointTimes& times = outcome.checkpoints;
    text += line("  kept    %zu checkpoints of %.6g MB, %.3g s of waiting for one, %.3g s to write",
                 times.written.size(), static_cast<double>(times.bytes) / 1e6, median(times.waited),
                 median(times.written));
  }
  if (outcome.noise) {
    text += "  noise   scale " + to_text(*outcome.noise) + '\n' +
            line("          %.3g s of a step to measure it", outcome.noise->seconds);
  }
  if (!outcome.algorithms.empty()) {
    text +=
        line("  chosen  %zu algorithms, with up to %.6g MB of workspace", outcome.algorithms.size(),
             static_cast<double>(largest_workspace(outcome.algorithms)) / 1e6);
  }
  if (!outcome.check) return text;
  const ParameterError* worst = outcome.check->worst();
  text += line("  check   %s: loss off by %.2g",
               outcome.check->holds() ? "equals the serial run" : "differs from the serial run",
               outcome.check->loss_error());
  if (worst != nullptr) {
    text += line("          gradients by %.2g (%s), where a rounding of the weights makes %.2g",
                 worst->relative, worst->name.c_str(), worst->noise);
  }
  for (const std::string& name : outcome.check->missing) {
    text += line("          no rank holds %s", name.c_str());
  }
  return text;
}

std::string result_json(const RunContext& context, const TrainRequest& request,
                        const RunInput& input, const Plan& plan, const Outcome& outcome) {
  Json json = {{"schema", "oracle/run/1"},
               {"context", context_json(context)},
               {"model", request.graph.name},
               {"cluster", request.cluster.id},
               {"ranks", plan.ranks()},
               {"strategy", report::strategy_text(plan.strategy)},
               {"batch", plan.training.batch},
               {"precision", plan.training.precision.name},
               {"optimizer", plan.training.optimizer.name},
               {"rate", request.rate},
               {"seed", request.seed},
               {"steps", request.steps},
               {"warm_up", outcome.warm_up},
               {"input", input_json(request, input, outcome)},
               {"losses", outcome.losses},
               {"step_seconds", outcome.step_seconds},
               {"median_step_seconds", median_step(outcome)},
               {"sent_bytes", outcome.sent_bytes},
               {"items_sent_bytes", outcome.item_bytes},
               {"unplanned_bytes", outcome.unplanned_bytes},
               {"peak_memory_bytes", outcome.peak_memory},
               {"footprint_bytes", outcome.footprint},
               {"items", items_json(request, plan, outcome)}};
  if (outcome.first_step > 1) json["first_step"] = outcome.first_step;
  if (request.checkpoints) json["checkpoints"] = checkpoints_json(request, outcome.checkpoints);
  if (request.replays) json["replayed_steps"] = outcome.replayed_steps;
  if (scales_loss(plan)) {
    json["loss_scale"] = {{"last", outcome.loss_scale},
                          {"skipped_steps", outcome.skipped_steps},
                          {"seconds", outcome.scale_seconds}};
  }
  if (outcome.staleness.gradients > 0) {
    json["staleness"] = {{"mean", mean_staleness(outcome)}, {"most", outcome.staleness.most}};
  }
  if (request.rate_warm_up > 0) json["rate_warm_up"] = request.rate_warm_up;
  if (outcome.noise) json["noise_scale"] = noise_json(*outcome.noise);
  if (!outcome.algorithms.empty()) json["algorithms"] = chosen_json(outcome.algorithms);
  if (outcome.check) json["check"] = check_json(*outcome.check);
  return json.dump(2) + '\n';
}

}  // namespace oracle
