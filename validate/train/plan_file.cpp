#include "validate/train/plan_file.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "validate/record/fields.h"

namespace oracle {
namespace {

constexpr const char* kEstimate = "oracle/evaluation/1";
constexpr const char* kRanking = "oracle/ranking/1";
constexpr const char* kPerLayer = "oracle/per_layer/1";
constexpr double kRounding = 1e-9;  ///< relative, of a number in JSON
constexpr const char* kAgain = "write it again with oracle estimate MODEL ... --format json";
constexpr const char* kChanged = "network or cluster have changed since: estimate again";

/// The words that named the network and the cluster.
void add_asked(json::ObjectReader& object, json::Problems& problems, PlanFile& plan) {
  if (!object.has("asked")) {
    object.problem("", "does not say how its network was named", kAgain);
    return;
  }
  const json::Node* node = object.object("asked", true);
  if (node == nullptr) return;
  json::ObjectReader asked(*node, object.pointer_to("asked"), problems);
  const auto option = [&](const std::string& name) {
    const std::string word = asked.string(name, {});
    if (!word.empty()) plan.words.push_back("--" + name + "=" + word);
  };
  option("input");
  option("classes");
  if (asked.has("skip_unknown")) plan.words.emplace_back("--skip-unknown");
  const std::string cluster = asked.string("cluster", {});
  // This machine takes as many ranks as are started, whichever machine it was then.
  if (!cluster.empty() && cluster != "here") plan.words.push_back("--cluster=" + cluster);
  const std::string model = asked.string("model");
  plan.words.insert(plan.words.end(), {"--", model});
}

/// Of a ranking the candidate that is asked for, or the one that it recommends; the one strategy of
/// every other answer.
std::string strategy_of(json::ObjectReader& object, const std::string& schema,
                        std::optional<std::int64_t> candidate, json::Problems& problems) {
  if (schema != kRanking) {
    if (candidate) {
      throw InputError("--candidate", "is for what oracle plan ranks, and this is one strategy",
                       "leave it out");
    }
    return object.string("strategy", {});
  }
  const json::Node* candidates = object.array("candidates", true);
  if (candidates == nullptr || candidates->items.empty()) return {};
  if (!candidate && object.has("recommended")) return object.string("recommended");
  const auto index = static_cast<std::size_t>(candidate.value_or(1) - 1);
  if (index >= candidates->items.size()) {
    throw InputError("--candidate",
                     "the plan ranks " + std::to_string(candidates->items.size()) + " strategies",
                     "name one of them: 1 is the best");
  }
  json::ObjectReader chosen(candidates->items[index],
                            object.pointer_to("candidates") + "/" + std::to_string(index),
                            problems);
  return chosen.string("strategy");
}

std::string place_of(const std::string& name, const char* table, const std::string& layer) {
  return name + ": /" + table + ": layer " + in_quotes(layer);
}

bool is_same(const TransferSeconds& a, const TransferSeconds& b) {
  return a.stage == b.stage && a.layer == b.layer && a.payload == b.payload &&
         a.collective == b.collective && a.phase == b.phase &&
         std::abs(a.sent - b.sent) <= kRounding * std::max(a.sent, b.sent);
}

void require_same_layers(const std::string& name, const Prediction& priced, const Prediction& now) {
  for (std::size_t i = 0; i < now.layers.size(); ++i) {
    const LayerSeconds& then = priced.layers[i];
    const LayerSeconds& is = now.layers[i];
    if (then.stage == is.stage && then.layer == is.layer && then.piece == is.piece) continue;
    throw InputError(place_of(name, "layers", then.layer),
                     "was priced as " + in_quotes(then.piece) + ", and is " + in_quotes(is.layer) +
                         " of " + in_quotes(is.piece),
                     kChanged);
  }
}

void require_same_transfers(const std::string& name, const Prediction& priced,
                            const Prediction& now) {
  for (std::size_t i = 0; i < now.transfers.size(); ++i) {
    const TransferSeconds& then = priced.transfers[i];
    const TransferSeconds& is = now.transfers[i];
    if (is_same(then, is)) continue;
    throw InputError(place_of(name, "transfers", then.layer),
                     in_quotes(then.collective) + " of " + to_text(Bytes{then.sent}) +
                         " was priced, and " + is.collective + " of " + to_text(Bytes{is.sent}) +
                         " is planned",
                     kChanged);
  }
}

}  // namespace

PlanFile read_plan_file(const std::filesystem::path& file, std::optional<std::int64_t> candidate) {
  return parse_plan_file(json::read(file), candidate);
}

PlanFile parse_plan_file(const json::Document& document, std::optional<std::int64_t> candidate) {
  const std::string schema = schema_of(document);
  if (schema != kEstimate && schema != kRanking && schema != kPerLayer) {
    refuse_schema(document, "what oracle estimate or oracle plan answers with --format json");
  }
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  PlanFile plan;
  plan.name = document.name;
  const std::string strategy = strategy_of(object, schema, candidate, problems);
  if (strategy.empty() || object.string("verdict", "fits") != "fits") {
    problems.raise();
    throw InputError(document.name, "says that nothing fits, so there is no plan to run",
                     "give the answer of an estimate that fits");
  }
  plan.words = {"--strategy=" + strategy,
                "--batch=" + std::to_string(object.integer("batch", 1, kMostSamples)),
                "--precision=" + object.string("precision"),
                "--optimizer=" + object.string("optimizer")};
  add_asked(object, problems, plan);
  problems.raise();
  if (schema == kEstimate) plan.priced = parse_prediction(document, 0);
  return plan;
}

void require_same_plan(const std::string& name, const Prediction& priced, const Prediction& now) {
  if (priced.layers.size() != now.layers.size() ||
      priced.transfers.size() != now.transfers.size()) {
    throw InputError(name,
                     "has " + std::to_string(priced.layers.size()) + " layers and " +
                         std::to_string(priced.transfers.size()) +
                         " transfers, and the plan as it is made now " +
                         std::to_string(now.layers.size()) + " and " +
                         std::to_string(now.transfers.size()),
                     kChanged);
  }
  require_same_layers(name, priced, now);
  require_same_transfers(name, priced, now);
}

}  // namespace oracle
