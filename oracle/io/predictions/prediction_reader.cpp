#include "oracle/io/predictions/prediction_reader.h"

#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

/// Memory that driver and libraries take, which no allocator counts (memory/footprint.h).
constexpr const char* kContext = "framework_context";

/// The value of a quantity, {"value": …, "unit": …}.
double quantity(json::ObjectReader& object, const char* key, json::Problems& problems) {
  const json::Node* node = object.object(key, true);
  if (node == nullptr) return 0;
  json::ObjectReader reader(*node, object.pointer_to(key), problems);
  return required_number(reader, "value");
}

Cost step_cost(json::ObjectReader& object, json::Problems& problems) {
  Cost cost;
  const json::Node* node = object.object("step_time", true);
  if (node == nullptr) return cost;
  json::ObjectReader reader(*node, object.pointer_to("step_time"), problems);
  cost.time = Seconds{required_number(reader, "value")};
  cost.uncertainty = required_number(reader, "uncertainty");
  const std::string source = reader.string("source");
  bool known = false;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    if (name_of(static_cast<Source>(s)) != source) continue;
    cost.source = static_cast<Source>(s);
    known = true;
  }
  if (!known) reader.problem("source", in_quotes(source) + " is not a source");
  return cost;
}

/// Calls `visit(reader)` for each object of an array.
template <typename Visit>
void for_each(json::ObjectReader& object, const char* key, json::Problems& problems,
              const Visit& visit) {
  const json::Node* array = object.array(key, true);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->items.size() && !problems.full(); ++i) {
    json::ObjectReader reader(array->items[i], object.pointer_to(key) + "/" + std::to_string(i),
                              problems);
    visit(reader);
  }
}

StepParts read_parts(json::ObjectReader& object, json::Problems& problems) {
  StepParts parts;
  for_each(object, "breakdown", problems, [&](json::ObjectReader& row) {
    const std::string part = row.string("part");
    const double seconds = quantity(row, "time", problems);
    if (part == "forward") parts.forward = seconds;
    if (part == "backward") parts.backward = seconds;
    if (part == "update") parts.update = seconds;
    if (part == "exposed_activation") parts.exposed_activation = seconds;
    if (part == "exposed_gradient") parts.exposed_gradient = seconds;
    if (part == "bubble") parts.rest = seconds;
  });
  return parts;
}

}  // namespace

double required_number(json::ObjectReader& object, std::string_view key) {
  if (!object.has(key)) object.problem("", "has no " + in_quotes(key), "add it");
  return object.number(key, 0, 0);
}

Asked read_asked(json::ObjectReader& object) {
  Asked asked;
  asked.model = object.string("model");
  asked.strategy = object.string("strategy");
  asked.precision = object.string("precision");
  asked.optimizer = object.string("optimizer");
  asked.cluster = object.string("cluster");
  asked.batch = object.integer("batch", 1, kMostSamples);
  asked.ranks = object.integer("ranks", 1, kMostSamples);
  return asked;
}

Prediction read_evaluation(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Prediction prediction;
  prediction.asked = read_asked(object);
  if (object.string("verdict") != "fits") {
    object.problem("verdict", "the strategy does not fit, so there is no step to compare with",
                   "estimate one that fits");
    problems.raise();
  }
  prediction.step = step_cost(object, problems);
  prediction.parts = read_parts(object, problems);
  if (object.has("slowest_stage")) {
    prediction.stage = static_cast<std::size_t>(object.integer("slowest_stage", 0, kMostStages));
  }
  for_each(object, "memory", problems, [&](json::ObjectReader& row) {
    const bool is_allocated = row.string("use") != kContext;
    const double bytes = quantity(row, "size", problems);
    if (is_allocated) prediction.memory += bytes;
  });
  for_each(object, "layers", problems, [&](json::ObjectReader& row) {
    const auto stage = static_cast<std::size_t>(row.integer("stage", 0, kMostStages));
    const std::string name = row.string("layer");
    const std::string piece = row.string("piece");
    const double forward = quantity(row, "forward", problems);
    const double data = quantity(row, "backward_data", problems);
    const double weights = quantity(row, "backward_weights", problems);
    const std::string kind = row.string("kind", {});
    prediction.layers.push_back({stage, name, piece, forward, data, weights, kind});
  });
  for_each(object, "transfers", problems, [&](json::ObjectReader& row) {
    TransferSeconds transfer;
    transfer.stage = static_cast<std::size_t>(row.integer("stage", 0, kMostStages));
    transfer.layer = row.string("layer");
    transfer.payload = row.string("payload");
    transfer.collective = row.string("collective");
    transfer.phase = row.string("phase");
    transfer.seconds = quantity(row, "time", problems);
    transfer.exposed = quantity(row, "exposed", problems);
    transfer.sent = transfer.planned = quantity(row, "sent", problems);
    prediction.transfers.push_back(std::move(transfer));
  });
  prediction.assumptions = object.strings("assumptions");
  problems.raise();
  return prediction;
}

}  // namespace oracle
