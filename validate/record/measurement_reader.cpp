// run.json, member by member.

#include <algorithm>
#include <limits>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/plan/strategy/strategy.h"
#include "validate/record/fields.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostThings = std::numeric_limits<std::int64_t>::max();

/// Numbers of at least `least`; null is what became of one that was none.
std::vector<double> read_numbers(json::ObjectReader& object, const char* key, double least,
                                 bool may_be_null) {
  std::vector<double> numbers;
  const json::Node* array = object.array(key, true);
  if (array == nullptr) return numbers;
  for (const json::Node& item : array->items) {
    const bool number = item.type == json::Type::integer || item.type == json::Type::real;
    if (number && item.real >= least) {
      numbers.push_back(item.real);
    } else if (may_be_null && item.type == json::Type::null) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      object.problem(key, "holds something that is neither a time nor a loss",
                     "let oracle-train write the file");
      break;
    }
  }
  if (numbers.empty()) object.problem(key, "is empty", "let oracle-train write the file");
  return numbers;
}

void read_context(json::ObjectReader& object, json::Problems& problems, Measurement& run) {
  const json::Node* context = object.object("context", true);
  if (context == nullptr) return;
  json::ObjectReader reader(*context, object.pointer_to("context"), problems);
  for (const json::Member& member : context->members) {
    if (member.value.type == json::Type::integer) {
      run.context.emplace_back(member.name,
                               std::to_string(reader.integer(member.name, 0, kMostThings)));
    } else {
      run.context.emplace_back(member.name, reader.string(member.name));
    }
  }
}

LayerSeconds& layer_of(Measurement& run, std::size_t stage, const std::string& name) {
  for (LayerSeconds& layer : run.layers) {
    if (layer.stage == stage && layer.layer == name) return layer;
  }
  run.layers.push_back({stage, name, {}, 0, 0, 0});
  return run.layers.back();
}

void add_work(json::ObjectReader& item, std::size_t stage, double seconds, Measurement& run) {
  const std::string pass = item.string("pass");
  if (pass == "update") {
    run.update.resize(std::max(run.update.size(), stage + 1), 0);
    run.update[stage] += seconds;
    return;
  }
  const std::string name = item.string("layer");
  LayerSeconds& layer = layer_of(run, stage, name);
  layer.piece = item.string("piece", layer.piece);
  item.string("computes_up_to", {});
  if (pass == "forward") {
    layer.forward += seconds;
  } else if (pass == "backward_weights") {
    layer.backward_weights += seconds;
  } else if (pass == "backward_data" || pass == "gradient_sum") {
    layer.backward_data += seconds;
  } else {
    item.problem("pass", in_quotes(pass) + " is not a pass", "let oracle-train write the file");
  }
}

void add_item(const json::Node& node, const std::string& pointer, json::Problems& problems,
              Measurement& run) {
  json::ObjectReader item(node, pointer, problems);
  const auto stage = static_cast<std::size_t>(item.integer("stage", 0, kMostStages));
  item.string("item");
  const double seconds = required_number(item, "seconds");
  const double sent = required_number(item, "sent_bytes");
  const double planned = required_number(item, "plan_bytes");
  const std::string phase = item.string("phase");
  if (item.has("collective")) {
    const std::string layer = item.string("layer");
    const std::string payload = item.string("payload");
    run.transfers.push_back(
        {stage, layer, payload, item.string("collective"), phase, seconds, seconds, sent, planned});
  } else {
    item.string("layer", {});
    add_work(item, stage, seconds, run);
  }
  item.finish();
}

/// The verdict and the largest error; how it came about is for those who look into the file.
std::optional<SerialCheck> read_check(json::ObjectReader& object, json::Problems& problems) {
  const json::Node* node = object.object("check", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("check"), problems);
  SerialCheck check;
  check.holds = reader.boolean("holds", false);
  check.tolerance = required_number(reader, "tolerance");
  check.loss_error = required_number(reader, "loss_error");
  const json::Node* gradients = reader.array("gradients", true);
  if (gradients != nullptr) {
    for (std::size_t i = 0; i < gradients->items.size(); ++i) {
      json::ObjectReader error(gradients->items[i],
                               reader.pointer_to("gradients") + "/" + std::to_string(i), problems);
      const std::string parameter = error.string("parameter");
      const double relative = required_number(error, "relative");
      if (relative < check.gradient_error) continue;
      check.gradient_error = relative;
      check.parameter = parameter;
    }
  }
  return check;
}

std::optional<RunInputRate> read_input(json::ObjectReader& object, json::Problems& problems) {
  const json::Node* node = object.object("input", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("input"), problems);
  RunInputRate input;
  input.data = reader.string("data");
  input.wait_seconds = required_number(reader, "wait_seconds");
  input.images_per_second = reader.number("images_per_second", 0, 0);
  for (const char* key : {"images", "workers"}) reader.integer(key, 0, kMostThings, 0);
  reader.finish();
  return input;
}

std::optional<RunCheckpoints> read_checkpoints(json::ObjectReader& object,
                                               json::Problems& problems) {
  const json::Node* node = object.object("checkpoints", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("checkpoints"), problems);
  RunCheckpoints checkpoints;
  const std::string mode = reader.string("mode");
  checkpoints.asynchronous = mode == "asynchronous";
  if (!checkpoints.asynchronous && mode != "synchronous") {
    reader.problem("mode", in_quotes(mode) + " is not a mode", "let oracle-train write the file");
  }
  reader.integer("every", 0, kMostThings);
  checkpoints.count = reader.integer("count", 1, kMostThings);
  checkpoints.bytes = required_number(reader, "bytes");
  checkpoints.wait_seconds = required_number(reader, "wait_seconds");
  checkpoints.write_seconds = required_number(reader, "write_seconds");
  reader.finish();
  return checkpoints;
}

std::optional<RunLossScale> read_loss_scale(json::ObjectReader& object, json::Problems& problems) {
  const json::Node* node = object.object("loss_scale", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("loss_scale"), problems);
  RunLossScale scale;
  scale.last = reader.number("last", 0, 0);
  scale.skipped_steps = reader.integer("skipped_steps", 0, kMostThings, 0);
  scale.seconds = reader.number("seconds", 0, 0);
  reader.finish();
  return scale;
}

std::optional<RunStaleness> read_staleness(json::ObjectReader& object, json::Problems& problems) {
  const json::Node* node = object.object("staleness", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("staleness"), problems);
  RunStaleness staleness;
  staleness.mean = reader.number("mean", 0, 0);
  staleness.most = reader.integer("most", 0, kMostThings, 0);
  reader.finish();
  return staleness;
}

/// A pass that a library has a choice for.
Pass read_pass(json::ObjectReader& object) {
  const std::string name = object.string("pass");
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    if (name == name_of(pass)) return pass;
  }
  object.problem("pass", in_quotes(name) + " is not a pass", "let oracle-train write the file");
  return Pass::forward;
}

std::vector<int> read_ranks(json::ObjectReader& object) {
  std::vector<int> ranks;
  const json::Node* array = object.array("ranks", true);
  if (array == nullptr) return ranks;
  for (const json::Node& item : array->items) {
    if (item.type == json::Type::integer && item.real >= 0 && item.real < kMostSamples) {
      ranks.push_back(static_cast<int>(item.real));
    } else {
      object.problem("ranks", "holds something that is not a rank",
                     "let oracle-train write the file");
      break;
    }
  }
  return ranks;
}

void add_algorithm(const json::Node& node, const std::string& pointer, json::Problems& problems,
                   Measurement& run) {
  json::ObjectReader object(node, pointer, problems);
  ChosenAlgorithm chosen;
  chosen.stage = static_cast<std::size_t>(object.integer("stage", 0, kMostStages));
  chosen.ranks = read_ranks(object);
  Choice& choice = chosen.choice;
  choice.layer = object.string("layer");
  choice.pass = read_pass(object);
  choice.operation = object.string("operation");
  choice.shapes = object.string("shapes");
  choice.algorithm =
      static_cast<int>(object.integer("algorithm", 0, std::numeric_limits<int>::max()));
  choice.workspace = object.integer("workspace_bytes", 0, kMostThings);
  choice.deterministic = object.boolean("deterministic", true);
  if (object.has("seconds")) choice.seconds = required_number(object, "seconds");
  object.finish();
  run.algorithms.push_back(std::move(chosen));
}

void read_totals(json::ObjectReader& object, Measurement& run) {
  run.losses = read_numbers(object, "losses", std::numeric_limits<double>::lowest(), true);
  run.step_seconds = read_numbers(object, "step_seconds", 0, false);
  if (object.has("replayed_steps")) {
    const auto steps = static_cast<std::int64_t>(run.step_seconds.size());
    run.replayed_steps = object.integer("replayed_steps", 0, steps);
  }
  run.sent_bytes = required_number(object, "sent_bytes");
  run.items_sent_bytes = required_number(object, "items_sent_bytes");
  run.peak_memory = required_number(object, "peak_memory_bytes");
  run.footprint = required_number(object, "footprint_bytes");
  for (const char* key : {"rate", "median_step_seconds", "unplanned_bytes"})
    object.number(key, 0, 0);
  for (const char* key : {"seed", "steps", "warm_up", "first_step", "rate_warm_up"})
    object.integer(key, 0, kMostThings, 0);
}

std::int64_t read_chunks(json::ObjectReader& object, const std::string& strategy) {
  try {
    return parse_strategy(strategy).chunks;
  } catch (const InputError& error) {
    object.problem("strategy", error.problems().front().message, "let oracle-train write the file");
    return 1;
  }
}

}  // namespace

Measurement parse_measurement(const json::Document& document) {
  if (schema_of(document) != kRunSchema) {
    refuse_schema(document, "a result that oracle-train --out or oracle validate --out wrote");
  }
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  object.string("schema");
  Measurement run;
  run.asked = read_asked(object);
  run.chunks = read_chunks(object, run.asked.strategy);
  read_context(object, problems, run);
  read_totals(object, run);
  if (const json::Node* items = object.array("items", true)) {
    for (std::size_t i = 0; i < items->items.size() && !problems.full(); ++i) {
      add_item(items->items[i], object.pointer_to("items") + "/" + std::to_string(i), problems,
               run);
    }
  }
  if (const json::Node* algorithms = object.array("algorithms", false)) {
    for (std::size_t i = 0; i < algorithms->items.size() && !problems.full(); ++i) {
      add_algorithm(algorithms->items[i], object.pointer_to("algorithms") + "/" + std::to_string(i),
                    problems, run);
    }
  }
  run.checkpoints = read_checkpoints(object, problems);
  run.loss_scale = read_loss_scale(object, problems);
  run.staleness = read_staleness(object, problems);
  run.noise = read_noise(object, problems);
  run.input = read_input(object, problems);
  run.check = read_check(object, problems);
  object.finish();
  problems.raise();
  return run;
}

}  // namespace oracle
