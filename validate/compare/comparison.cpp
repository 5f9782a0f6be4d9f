#include "validate/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

/// Counts of bytes: less than one apart is equal, as a plan's share of a ring need not be whole.
constexpr double kOneByte = 1;

void require_same(const Asked& predicted, const Asked& run) {
  std::vector<Problem> problems;
  const auto same = [&](const char* what, const std::string& one, const std::string& other) {
    if (one == other) return;
    problems.push_back({what, in_quotes(one) + " was predicted and " + in_quotes(other) + " run",
                        "compare what was asked alike"});
  };
  same("model", predicted.model, run.model);
  same("strategy", predicted.strategy, run.strategy);
  same("batch", std::to_string(predicted.batch), std::to_string(run.batch));
  same("precision", predicted.precision, run.precision);
  same("optimizer", predicted.optimizer, run.optimizer);
  if (!problems.empty()) throw InputError(std::move(problems));
}

Pair pair_of(double predicted, double measured) { return {predicted, measured}; }

LayerPair pair_of(const LayerSeconds* predicted, const LayerSeconds* measured) {
  const auto part = [&](double LayerSeconds::*member) {
    Pair pair;
    if (predicted != nullptr) pair.predicted = predicted->*member;
    if (measured != nullptr) pair.measured = measured->*member;
    return pair;
  };
  const LayerSeconds& named = predicted != nullptr ? *predicted : *measured;
  LayerPair pair{named.stage,
                 named.layer,
                 part(&LayerSeconds::forward),
                 part(&LayerSeconds::backward_data),
                 part(&LayerSeconds::backward_weights),
                 {}};
  if (predicted != nullptr) pair.total.predicted = predicted->total();
  if (measured != nullptr) pair.total.measured = measured->total();
  return pair;
}

const LayerSeconds* find(const std::vector<LayerSeconds>& layers, const LayerSeconds& wanted) {
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const LayerSeconds& layer) {
    return layer.stage == wanted.stage && layer.layer == wanted.layer;
  });
  return found == layers.end() ? nullptr : &*found;
}

/// A layer of another size, or none of that name: another network under the same name.
void require_same(const LayerSeconds& predicted, const LayerSeconds* measured) {
  if (measured == nullptr && predicted.total() == 0) return;
  const std::string there = measured != nullptr ? measured->piece : "nothing";
  if (measured != nullptr && (there == predicted.piece || there.empty())) return;
  throw InputError(
      "layer " + predicted.layer,
      in_quotes(predicted.piece) + " on a rank was predicted and " + in_quotes(there) + " run",
      "predict with the same --input and --classes");
}

std::vector<LayerPair> layer_pairs(const Prediction& prediction, const Measurement& run) {
  std::vector<LayerPair> pairs;
  for (const LayerSeconds& predicted : prediction.layers) {
    const LayerSeconds* measured = find(run.layers, predicted);
    require_same(predicted, measured);
    pairs.push_back(pair_of(&predicted, measured));
  }
  for (const LayerSeconds& measured : run.layers) {
    if (find(prediction.layers, measured) == nullptr) pairs.push_back(pair_of(nullptr, &measured));
  }
  return pairs;
}

bool same_kind(const TransferSeconds& a, const TransferSeconds& b) {
  return a.stage == b.stage && a.layer == b.layer && a.payload == b.payload &&
         a.collective == b.collective && a.phase == b.phase;
}

void add_to(std::optional<double>& sum, double value) { sum = sum.value_or(0) + value; }

Wire worse(Wire one, Wire other) {
  if (one == Wire::unknown) return other;
  return std::max(one, other);
}

Wire judge_bytes(const TransferSeconds& ran) {
  return std::abs(ran.sent - ran.planned) < kOneByte ? Wire::equal : Wire::differs;
}

std::vector<TransferPair> transfer_pairs(const Prediction& prediction, const Measurement& run) {
  std::vector<TransferPair> pairs;
  const auto kind = [&](const TransferSeconds& transfer) -> TransferPair& {
    for (TransferPair& pair : pairs) {
      if (same_kind(pair.key, transfer)) return pair;
    }
    pairs.push_back({transfer, {}, {}, {}, Wire::unknown});
    return pairs.back();
  };
  for (const TransferSeconds& predicted : prediction.transfers) {
    TransferPair& pair = kind(predicted);
    if (!prediction.is_run) add_to(pair.predicted_busy, predicted.seconds);
    add_to(pair.exposed.predicted, predicted.exposed);
  }
  for (const TransferSeconds& ran : run.transfers) {
    TransferPair& pair = kind(ran);
    add_to(pair.exposed.measured, ran.exposed);
    add_to(pair.sent.predicted, ran.planned);
    add_to(pair.sent.measured, ran.sent);
    pair.wire = worse(pair.wire, judge_bytes(ran));
  }
  return pairs;
}

std::vector<std::string> notes_on(const Prediction& prediction, const Measurement& run) {
  std::vector<std::string> notes;
  if (!prediction.is_run && prediction.asked.cluster != run.asked.cluster) {
    notes.push_back("predicted for " + prediction.asked.cluster + ", run with a plan for " +
                    run.asked.cluster);
  }
  return notes;
}

}  // namespace

std::string_view name_of(Wire wire) {
  constexpr std::array<std::string_view, 3> kNames = {"equal", "differs", "unknown"};
  return kNames[static_cast<std::size_t>(wire)];
}

bool RunComparison::bytes_hold() const {
  return counters_agree &&
         std::none_of(transfers.begin(), transfers.end(),
                      [](const TransferPair& pair) { return pair.wire == Wire::differs; });
}

Seconds RunComparison::outside() const {
  const double width = step.predicted.time.value * step.predicted.uncertainty;
  const double off = std::abs(step.measured.value - step.predicted.time.value);
  return Seconds{std::max(0.0, off - width)};
}

RunComparison compare(const Prediction& prediction, const Measurement& run, std::int64_t warm_up) {
  require_same(prediction.asked, run.asked);
  RunComparison result;
  result.spread = spread_after(run, warm_up);
  result.step = {prediction.step, Seconds{result.spread.median}};
  const StepParts& expected = prediction.parts;
  const std::size_t stage = prediction.stage.value_or(busiest_stage(run));
  const StepParts ran = parts_of(run, stage, result.spread.median);
  result.forward = pair_of(expected.forward, ran.forward);
  result.backward = pair_of(expected.backward, ran.backward);
  result.update = pair_of(expected.update, ran.update);
  result.exposed_activation = pair_of(expected.exposed_activation, ran.exposed_activation);
  result.exposed_gradient = pair_of(expected.exposed_gradient, ran.exposed_gradient);
  result.rest = pair_of(expected.rest, ran.rest);
  result.exposed = pair_of(expected.exposed(), ran.exposed());
  result.memory = pair_of(prediction.memory, run.peak_memory);
  if (prediction.checkpoint) result.checkpoint.predicted = prediction.checkpoint->time.value;
  if (run.checkpoints) {
    result.checkpoint.measured = run.checkpoints->asynchronous ? run.checkpoints->write_seconds
                                                               : run.checkpoints->wait_seconds;
  }
  result.layers = layer_pairs(prediction, run);
  result.transfers = transfer_pairs(prediction, run);
  result.counters_agree = std::abs(run.sent_bytes - run.items_sent_bytes) < kOneByte;
  result.notes = notes_on(prediction, run);
  return result;
}

}  // namespace oracle
