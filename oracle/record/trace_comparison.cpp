#include "oracle/record/trace_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

void require_same_ranks(const Prediction& prediction, const Trace& trace, const std::string& name) {
  if (trace.ranks == 0 || trace.ranks == prediction.asked.ranks) return;
  throw InputError(name,
                   "is of rank " + std::to_string(trace.rank) + " of " +
                       std::to_string(trace.ranks) + ", and " +
                       std::to_string(prediction.asked.ranks) + " ranks were predicted",
                   "estimate the strategy that ran, on as many GPUs");
}

bool is_of_stage(const Prediction& prediction, std::size_t stage) {
  return !prediction.stage || *prediction.stage == stage;
}

std::vector<ClassPair> class_pairs(const Prediction& prediction, const TracedStep& recorded) {
  std::array<double, kKernelClassCount> predicted{};
  for (const LayerSeconds& layer : prediction.layers) {
    if (!is_of_stage(prediction, layer.stage)) continue;
    predicted[static_cast<std::size_t>(class_of_layer(layer.kind))] += layer.total();
  }
  predicted[static_cast<std::size_t>(KernelClass::optimizer)] += prediction.parts.update;
  std::vector<ClassPair> pairs;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const auto of = static_cast<KernelClass>(i);
    if (of == KernelClass::communication || of == KernelClass::copy) continue;
    const TracedTime& ran = recorded.of(of);
    if (predicted[i] <= 0 && ran.count <= 0) continue;
    pairs.push_back({of, {predicted[i], ran.time.value}, ran.count});
  }
  return pairs;
}

std::vector<CollectivePair> collective_pairs(const Prediction& prediction,
                                             const TracedStep& recorded) {
  std::vector<CollectivePair> pairs;
  for (const TracedName& ran : recorded.collectives) {
    pairs.push_back({ran.name, {0, ran.of.time.value}, ran.of.count});
  }
  for (const TransferSeconds& transfer : prediction.transfers) {
    const std::string name(collective_named(transfer.collective));
    if (name.empty() || !is_of_stage(prediction, transfer.stage)) continue;
    auto found = std::find_if(pairs.begin(), pairs.end(),
                              [&](const CollectivePair& pair) { return pair.name == name; });
    if (found == pairs.end()) found = pairs.insert(found, {name, {0, 0}, 0});
    *found->seconds.predicted += transfer.seconds;
  }
  return pairs;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f %%", 100 * share);
  return text.data();
}

/// "2 kernels of no known class take 12 % of the kernels' time: a, b"
std::string unknown_note(const TracedStep& recorded) {
  constexpr std::size_t kNamed = 3;
  Seconds all;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const bool copies = static_cast<KernelClass>(i) == KernelClass::copy;
    if (!copies) all += recorded.classes[i].time;
  }
  const Seconds unknown = recorded.of(KernelClass::unknown).time;
  std::string text = std::to_string(recorded.unknown.size()) + " kernels of no known class take " +
                     percent(all.value > 0 ? unknown / all : 0) + " of all kernels' time: ";
  for (std::size_t i = 0; i < std::min(kNamed, recorded.unknown.size()); ++i) {
    text += (i == 0 ? "" : ", ") + on_one_line(recorded.unknown[i].name);
  }
  return text + (recorded.unknown.size() > kNamed ? ", …" : "");
}

std::vector<std::string> notes_on(const Prediction& prediction, const Trace& trace,
                                  const TracedStep& recorded) {
  std::vector<std::string> notes = {
      "a trace does not name its network, batch and precision: taken for those predicted"};
  if (recorded.marks != StepMarks::profiler) {
    notes.push_back("the trace has no ProfilerStep annotations: a step is taken from " +
                    std::string(name_of(recorded.marks)) + "; call prof.step() behind each step");
  }
  if (recorded.marks == StepMarks::profiler && trace.steps.size() == 1) {
    notes.emplace_back(
        "one step was recorded, which holds what the profiler waits for: record three");
  }
  if (prediction.asked.ranks > 1 && trace.ranks == 0) {
    notes.push_back("the trace does not say of how many ranks it is one: taken for " +
                    std::to_string(prediction.asked.ranks));
  }
  if (recorded.communication.value > 0) {
    notes.emplace_back("recorded communication holds what NCCL's kernels wait for other ranks");
  }
  if (recorded.linked < 1) {
    notes.push_back("the operation that launched it is not known of " +
                    percent(1 - recorded.linked) +
                    " of the kernels: their classes follow from their names");
  }
  if (!recorded.unknown.empty()) notes.push_back(unknown_note(recorded));
  return notes;
}

}  // namespace

Seconds TraceComparison::outside() const {
  const double width = predicted.time.value * predicted.uncertainty;
  return Seconds{std::max(0.0, std::abs(*step.measured - *step.predicted) - width)};
}

TraceComparison compare(const Prediction& prediction, const Trace& trace, const std::string& name) {
  require_same_ranks(prediction, trace, name);
  TraceComparison out;
  out.predicted = prediction.step;
  out.recorded = traced_step(trace);
  const TracedStep& ran = out.recorded;
  const StepParts& parts = prediction.parts;
  out.step = {prediction.step.time.value, ran.step.value};
  out.compute = {parts.forward + parts.backward + parts.update, ran.compute.value};
  out.exposed_communication = {parts.exposed(), ran.exposed_communication.value};
  out.exposed_copies = {std::nullopt, ran.exposed_copies.value};
  out.idle = {parts.rest, ran.idle.value};
  out.collectives = collective_pairs(prediction, ran);
  double communication = 0;
  for (const CollectivePair& pair : out.collectives) communication += *pair.seconds.predicted;
  out.communication = {communication, ran.communication.value};
  out.classes = class_pairs(prediction, ran);
  if (trace.most_allocated) out.allocated = {prediction.memory, trace.most_allocated->value};
  if (trace.most_reserved) out.reserved = {std::nullopt, trace.most_reserved->value};
  out.notes = notes_on(prediction, trace, ran);
  return out;
}

}  // namespace oracle
