#pragma once
// What would a better machine gain, and what another setting?
//
// The elasticity of the step to a figure x of the machine says by how many percent the step
// shortens per 1 % more of x (per 1 % less, for latencies and overheads):
//
//   e(x) = −Δ log(step) / Δ log(x)      with x better by 0.1 %
//
// All machine figures together 1 % better make every clock 1 % faster, so the elasticities sum to 1
// but for the curvature and for what changes its bottleneck within that 0.1 %: balanced stages of a
// pipeline are nearly equal.
//
// Worked: a step of 3 s of arithmetic and 1 s of launches has 0.75 and 0.25
//                                                            tests/evaluate/sensitivity_test.cpp

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

// Which strategies differ from a given one in a single setting?
//
// Overlap, buckets of half and twice the size, every other all-reduce for the gradients, the modes
// of batch norm where there is one, for pipelines the other schedule and half and twice the
// micro-batches, what data-parallel ranks keep in shards, and recomputation of blocks or none. The
// cuts stay: comparing those is a search.                        tests/evaluate/changes_test.cpp

struct ChangedStrategy {
  std::string text;  ///< the setting as a strategy writes it: "overlap=off"
  Strategy strategy;
};

std::vector<ChangedStrategy> changes_of(const Graph& graph, const Strategy& strategy);

/// Everything of a machine that has seconds in it.
enum class MachineFigure : std::uint8_t {
  flop_rate,         ///< of every number format and unit
  memory_bandwidth,  ///< of the device
  launch_overhead,
  host,              ///< what it takes to launch a kernel (Framework)
  measured_kernels,  ///< time of all kernels that the profile holds
  link_bandwidth,    ///< of one level
  link_latency,      ///< of one level
  host_link,         ///< of a strategy that offloads: between device and host,
  host_memory        ///< and of the host
};
std::string_view name_of(MachineFigure figure);

struct Elasticity {
  MachineFigure figure = MachineFigure::flop_rate;
  std::size_t level = 0;  ///< of a link's figures
  double value = 0;
};

/// One setting changed.
struct Change {
  std::string text;             ///< as a strategy writes it: "overlap=off"
  std::optional<Seconds> step;  ///< nothing: does not fit
  double gain = 0;              ///< part of the step saved; negative: it takes longer
};

struct Sensitivity {
  std::vector<Elasticity> elasticities;  ///< largest first
  double sum = 0;
  /// Those that the framework has a switch for; best first, those that do not fit last.
  std::vector<Change> changes;
};

/// A machine as described and measured, and the host that drives it.
struct DrivenMachine {
  Cluster cluster;
  Profile profile;
  Framework framework;
};

/// Makes one figure better by `factor`, wherever it stands.
void improve(const Elasticity& of, double factor, DrivenMachine& machine);

/// The figures that it has.
std::vector<Elasticity> figures_of(const DrivenMachine& machine);

/// Of an evaluation that fits.
Sensitivity sensitivity(const Graph& graph, const Cluster& cluster, const Profile& profile,
                        const Evaluation& evaluation);

}  // namespace oracle
