#include "oracle/evaluate/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/quantity_text.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/evaluate/details.h"

namespace oracle {
namespace {

constexpr double kBetter = 1.001;

void improve_device(MachineFigure figure, double factor, Device& device) {
  if (figure == MachineFigure::flop_rate) {
    for (FlopRate& peak : device.peak) peak = peak * factor;
  } else if (figure == MachineFigure::memory_bandwidth) {
    device.memory_bandwidth = device.memory_bandwidth * factor;
  } else {
    device.launch_overhead = device.launch_overhead / factor;
  }
}

void improve_bandwidth(double factor, Level& level, Profile& profile) {
  level.uplink.bandwidth = level.uplink.bandwidth * factor;
  level.uplink.flow_limit = level.uplink.flow_limit * factor;
  for (LinkFit& fit : profile.links) {
    if (fit.level != level.name) continue;
    for (LinkPiece& piece : fit.pieces) piece.bandwidth = piece.bandwidth * factor;
  }
}

void improve_latency(double factor, Level& level, Profile& profile) {
  level.uplink.latency = level.uplink.latency / factor;
  for (LinkFit& fit : profile.links) {
    if (fit.level != level.name) continue;
    for (LinkPiece& piece : fit.pieces) piece.latency = piece.latency / factor;
  }
}

std::optional<Seconds> step_of(const Setting& setting, const Strategy& strategy,
                               const Training& training) {
  const Evaluation evaluation =
      evaluate(setting.graph, setting.cluster, setting.profile, strategy, training);
  if (const Fits* fits = evaluation.fits()) return fits->step.time;
  return std::nullopt;
}

double elasticity_of(const Elasticity& figure, const Setting& setting,
                     const Evaluation& evaluation) {
  DrivenMachine machine{setting.cluster, setting.profile, evaluation.training.framework};
  improve(figure, kBetter, machine);
  Training training = evaluation.training;
  training.framework = machine.framework;
  const auto step =
      step_of({setting.graph, machine.cluster, machine.profile}, evaluation.strategy, training);
  ensure(step.has_value(), "a faster machine holds less");
  return -std::log(*step / evaluation.fits()->step.time) / std::log(kBetter);
}

/// Collects copies of a strategy with one setting changed.
class Changes {
 public:
  explicit Changes(const Strategy& base) : base_(base) {}

  template <typename Set>
  void add(std::string text, const Set& set) {
    Strategy changed = base_;
    set(changed);
    if (changed != base_) list_.push_back({std::move(text), std::move(changed)});
  }

  std::vector<ChangedStrategy> take() { return std::move(list_); }

 private:
  const Strategy& base_;
  std::vector<ChangedStrategy> list_;
};

/// Whether the framework has a switch for it.
bool can_change(const ChangedStrategy& changed, const Device& device, const Framework& framework) {
  const std::string_view text = changed.text;
  const std::string_view option = text.substr(0, text.find('='));
  if (!has_switch(framework, option)) return false;
  const bool parts = option == "schedule" && parts_backward(changed.strategy.schedule);
  if (parts && !has_switch(framework, text)) return false;
  const Algorithm* algorithm =
      option == "exchange" ? find_algorithm(Collective::all_reduce, changed.strategy.exchange)
                           : nullptr;
  return algorithm == nullptr || is_offered(*algorithm, device, framework);
}

void add_state(Changes& changes) {
  for (int zero = 0; zero <= 3; ++zero) {
    changes.add("zero=" + std::to_string(zero), [zero](Strategy& changed) { changed.zero = zero; });
  }
}

void add_recomputation(Changes& changes) {
  for (const std::string_view what : {"none", "full"}) {
    changes.add("recompute=" + std::string(what),
                [what](Strategy& changed) { changed.recompute = what == "none" ? "" : what; });
  }
}

void add_exchanges(Changes& changes) {
  const auto add = [&](std::string_view name) {
    changes.add("exchange=" + std::string(name),
                [&](Strategy& strategy) { strategy.exchange = name; });
  };
  add("auto");
  for (const Algorithm& row : all_algorithms()) {
    if (row.serves == Collective::all_reduce) add(row.name);
  }
}

void add_batch_norm(Changes& changes) {
  constexpr std::array<std::pair<std::string_view, BatchNormMode>, 3> kModes = {
      {{"per_replica", BatchNormMode::per_replica},
       {"synchronized", BatchNormMode::synchronized},
       {"local", BatchNormMode::local}}};
  for (const auto& [name, mode] : kModes) {
    changes.add("batch_norm=" + std::string(name),
                [value = mode](Strategy& strategy) { strategy.batch_norm = value; });
  }
}

void add_pipeline(const Strategy& base, Changes& changes) {
  for (const std::int64_t count : {base.micro_batches / 2, base.micro_batches * 2}) {
    if (count < 1) continue;
    changes.add("micro_batches=" + std::to_string(count),
                [count](Strategy& strategy) { strategy.micro_batches = count; });
  }
  changes.add("schedule=gpipe",
              [](Strategy& strategy) { strategy.schedule = PipelineSchedule::gpipe; });
  changes.add("schedule=1f1b",
              [](Strategy& strategy) { strategy.schedule = PipelineSchedule::one_f_one_b; });
  changes.add("schedule=zb_h1",
              [](Strategy& strategy) { strategy.schedule = PipelineSchedule::zb_h1; });
}

}  // namespace

std::string_view name_of(MachineFigure figure) {
  constexpr std::array<std::string_view, 9> kNames = {
      "FLOP rate", "memory bandwidth", "launch overhead", "host's launches", "measured kernels",
      "bandwidth", "latency",          "host link",       "host memory"};
  return kNames[static_cast<std::size_t>(figure)];
}

void improve(const Elasticity& of, double factor, DrivenMachine& machine) {
  switch (of.figure) {
    case MachineFigure::flop_rate:
    case MachineFigure::memory_bandwidth:
    case MachineFigure::launch_overhead:
      improve_device(of.figure, factor, machine.cluster.device);
      return;
    case MachineFigure::host:
      machine.framework.host_per_kernel = machine.framework.host_per_kernel / factor;
      return;
    case MachineFigure::measured_kernels:
      for (KernelTime& kernel : machine.profile.kernels) kernel.cost = kernel.cost * (1 / factor);
      for (KernelFit& fit : machine.profile.fits) fit.plain = fit.plain / factor;
      return;
    case MachineFigure::link_bandwidth:
      improve_bandwidth(factor, machine.cluster.levels.at(of.level), machine.profile);
      return;
    case MachineFigure::link_latency:
      improve_latency(factor, machine.cluster.levels.at(of.level), machine.profile);
      return;
    case MachineFigure::host_link:
      machine.cluster.host.link = machine.cluster.host.link * factor;
      machine.cluster.host.latency = machine.cluster.host.latency / factor;
      return;
    case MachineFigure::host_memory:
      machine.cluster.host.memory_bandwidth = machine.cluster.host.memory_bandwidth * factor;
      return;
  }
}

std::vector<Elasticity> figures_of(const DrivenMachine& machine) {
  std::vector<Elasticity> figures = {{MachineFigure::flop_rate},
                                     {MachineFigure::memory_bandwidth},
                                     {MachineFigure::launch_overhead}};
  if (machine.framework.host_per_kernel.value > 0) figures.push_back({MachineFigure::host});
  if (!machine.profile.kernels.empty()) figures.push_back({MachineFigure::measured_kernels});
  for (std::size_t level = 0; level < machine.cluster.levels.size(); ++level) {
    figures.push_back({MachineFigure::link_bandwidth, level});
    figures.push_back({MachineFigure::link_latency, level});
  }
  return figures;
}

Sensitivity sensitivity(const Graph& graph, const Cluster& cluster, const Profile& profile,
                        const Evaluation& evaluation) {
  const Fits* fits = evaluation.fits();
  ensure(fits != nullptr, "sensitivity is asked of a strategy that does not fit");
  const Setting setting{graph, cluster, profile};
  Sensitivity found;
  found.elasticities = figures_of({cluster, profile, evaluation.training.framework});
  const Offload& offload = evaluation.strategy.offload;
  if (offload != Offload{}) found.elasticities.push_back({MachineFigure::host_link});
  if (offload.optimizer) found.elasticities.push_back({MachineFigure::host_memory});
  for (Elasticity& figure : found.elasticities) {
    figure.value = elasticity_of(figure, setting, evaluation);
    found.sum += figure.value;
  }
  std::stable_sort(found.elasticities.begin(), found.elasticities.end(),
                   [](const Elasticity& a, const Elasticity& b) { return a.value > b.value; });
  for (const ChangedStrategy& changed : changes_of(graph, evaluation.strategy)) {
    if (!can_change(changed, cluster.device, evaluation.training.framework)) continue;
    Change change{changed.text, {}, 0};
    try {
      change.step = step_of(setting, changed.strategy, evaluation.training);
    } catch (const InputError&) {
      continue;  // it contradicts an option that stays
    }
    if (change.step) change.gain = 1 - *change.step / fits->step.time;
    found.changes.push_back(std::move(change));
  }
  std::stable_sort(found.changes.begin(), found.changes.end(),
                   [](const Change& a, const Change& b) {
                     if (a.step.has_value() != b.step.has_value()) return a.step.has_value();
                     return a.gain > b.gain;
                   });
  return found;
}

std::vector<ChangedStrategy> changes_of(const Graph& graph, const Strategy& strategy) {
  Changes changes(strategy);
  changes.add(strategy.overlap ? "overlap=off" : "overlap=on",
              [](Strategy& changed) { changed.overlap = !changed.overlap; });
  for (const double factor : {0.5, 2.0}) {
    const Bytes bucket = strategy.bucket * factor;
    changes.add("bucket=" + to_binary_text(bucket),
                [bucket](Strategy& changed) { changed.bucket = bucket; });
  }
  add_exchanges(changes);
  if (std::any_of(graph.layers.begin(), graph.layers.end(),
                  [](const Layer& layer) { return layer.batch_statistics; })) {
    add_batch_norm(changes);
  }
  if (strategy.tensor_sequence_axes() != 0) {
    changes.add("tensor_overlap=on", [](Strategy& changed) { changed.tensor_overlap = true; });
  }
  if (strategy.has(Cut::expert)) {
    changes.add("expert_overlap=on", [](Strategy& changed) { changed.expert_overlap = true; });
  }
  if (strategy.has(Cut::pipeline)) add_pipeline(strategy, changes);
  if (strategy.has(Cut::sample)) add_state(changes);
  if (has_blocks(graph)) add_recomputation(changes);
  return changes.take();
}

}  // namespace oracle
