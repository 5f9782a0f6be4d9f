#include "oracle/evaluate/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/evaluate/changes.h"
#include "oracle/evaluate/details.h"

namespace oracle {
namespace {

constexpr double kBetter = 1.01;

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
  Cluster cluster = setting.cluster;
  Profile profile = setting.profile;
  improve(figure, kBetter, cluster, profile);
  const auto step =
      step_of({setting.graph, cluster, profile}, evaluation.strategy, evaluation.training);
  ensure(step.has_value(), "a faster machine holds less");
  return -std::log(*step / evaluation.fits()->step.time) / std::log(kBetter);
}

}  // namespace

std::string_view name_of(MachineFigure figure) {
  constexpr std::array<std::string_view, 6> kNames = {"FLOP rate",       "memory bandwidth",
                                                      "launch overhead", "measured kernels",
                                                      "bandwidth",       "latency"};
  return kNames[static_cast<std::size_t>(figure)];
}

void improve(const Elasticity& of, double factor, Cluster& cluster, Profile& profile) {
  switch (of.figure) {
    case MachineFigure::flop_rate:
    case MachineFigure::memory_bandwidth:
    case MachineFigure::launch_overhead:
      improve_device(of.figure, factor, cluster.device);
      return;
    case MachineFigure::measured_kernels:
      for (KernelTime& kernel : profile.kernels) kernel.cost = kernel.cost * (1 / factor);
      for (KernelFit& fit : profile.fits) fit.plain = fit.plain / factor;
      return;
    case MachineFigure::link_bandwidth:
      improve_bandwidth(factor, cluster.levels.at(of.level), profile);
      return;
    case MachineFigure::link_latency:
      improve_latency(factor, cluster.levels.at(of.level), profile);
      return;
  }
}

std::vector<Elasticity> figures_of(const Cluster& cluster, const Profile& profile) {
  std::vector<Elasticity> figures = {{MachineFigure::flop_rate},
                                     {MachineFigure::memory_bandwidth},
                                     {MachineFigure::launch_overhead}};
  if (!profile.kernels.empty()) figures.push_back({MachineFigure::measured_kernels});
  for (std::size_t level = 0; level < cluster.levels.size(); ++level) {
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
  found.elasticities = figures_of(cluster, profile);
  for (Elasticity& figure : found.elasticities) {
    figure.value = elasticity_of(figure, setting, evaluation);
    found.sum += figure.value;
  }
  std::stable_sort(found.elasticities.begin(), found.elasticities.end(),
                   [](const Elasticity& a, const Elasticity& b) { return a.value > b.value; });
  for (const ChangedStrategy& changed : changes_of(graph, evaluation.strategy)) {
    Change& change = found.changes.emplace_back();
    change.text = changed.text;
    change.step = step_of(setting, changed.strategy, evaluation.training);
    if (change.step) change.gain = 1 - *change.step / fits->step.time;
  }
  std::stable_sort(found.changes.begin(), found.changes.end(),
                   [](const Change& a, const Change& b) {
                     if (a.step.has_value() != b.step.has_value()) return a.step.has_value();
                     return a.gain > b.gain;
                   });
  return found;
}

}  // namespace oracle
