#include "validate/train/result.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

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

Json context_json(const RunContext& c) {
  return {{"command", c.command},
          {"date", c.date},
          {"host", c.host},
          {"processor", c.processor},
          {"load", c.load},
          {"version", c.version},
          {"commit", c.commit},
          {"compiler", c.compiler},
          {"build", c.build_type},
          {"kernels", c.kernels},
          {"communicator", c.communicator},
          {"ranks", c.ranks},
          {"threads", c.threads}};
}

Json check_json(const Equivalence& check) {
  Json errors = Json::array();
  for (const ParameterError& error : check.errors) {
    errors.push_back(
        {{"parameter", error.name}, {"relative", error.relative}, {"noise", error.noise}});
  }
  return {{"holds", check.holds()},
          {"tolerance", kEqual},
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
  const auto& work = std::get<Work>(item.what);
  json["pass"] = name_of(work.pass);
  json["layer"] = report::layer_name(request.graph, work.layer);
  if (work.layer == kAllLayers) return json;
  const Piece& piece = plan.pieces[work.layer];
  json["piece"] = report::grouped(piece.samples) + "×" + to_text(piece.output);
  return json;
}

/// Items in the order of the plan, stage by stage.
Json items_json(const TrainRequest& request, const Plan& plan, const Outcome& outcome) {
  Json items = Json::array();
  auto ran = outcome.items.begin();
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      Json json = {{"stage", ran->stage}, {"item", ran->name}};
      json.update(item_json(request, plan, item));
      json["seconds"] = ran->seconds;
      json["sent_bytes"] = ran->sent_bytes;
      json["plan_bytes"] = ran->plan_bytes;
      items.push_back(std::move(json));
      ++ran;
    }
  }
  return items;
}

}  // namespace

std::string summary_text(const TrainRequest& request, const Plan& plan, const Outcome& outcome) {
  std::string text =
      line("%s, %s, batch %lld, %lld steps on %lld ranks", request.graph.name.c_str(),
           to_text(plan.strategy).c_str(), static_cast<long long>(plan.training.batch),
           static_cast<long long>(request.steps), static_cast<long long>(plan.ranks()));
  text +=
      line("  loss    %.6g at first, %.6g at last", outcome.losses.front(), outcome.losses.back());
  text += line("  step    %.6g s in the median", median(outcome.step_seconds));
  text += line("  sent    %.6g MB a step by all ranks", outcome.sent_bytes / 1e6);
  text += outcome.unplanned_bytes == 0
              ? line("  wire    %s", "every item sends what the plan says")
              : line("  wire    %.6g MB beside what the plan says", outcome.unplanned_bytes / 1e6);
  text += line("  memory  %.6g MB at most on a rank, %.6g MB by the plan's footprint",
               static_cast<double>(outcome.peak_memory) / 1e6, outcome.footprint / 1e6);
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

std::string result_json(const RunContext& context, const TrainRequest& request, const Plan& plan,
                        const Outcome& outcome) {
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
               {"losses", outcome.losses},
               {"step_seconds", outcome.step_seconds},
               {"median_step_seconds", median(outcome.step_seconds)},
               {"sent_bytes", outcome.sent_bytes},
               {"items_sent_bytes", outcome.item_bytes},
               {"unplanned_bytes", outcome.unplanned_bytes},
               {"peak_memory_bytes", outcome.peak_memory},
               {"footprint_bytes", outcome.footprint},
               {"items", items_json(request, plan, outcome)}};
  if (outcome.check) json["check"] = check_json(*outcome.check);
  return json.dump(2) + '\n';
}

}  // namespace oracle
