#pragma once
// What does a strategy cost, does it fit, and what limits it?
//
// `evaluate` is the one call that everything else makes: partition, footprint, price, schedule. It
// is a pure function: same values in, same value out.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/cost/price.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/plan.h"
#include "oracle/timeline/timeline.h"

namespace oracle {

/// What an evaluation rests on, passed around as one.
struct Setting {
  const Graph& graph;
  const Cluster& cluster;
  const Profile& profile;
};

/// What the largest part of the step is spent on.
enum class Bottleneck : std::uint8_t {
  compute,              ///< compute limited by FLOP/s
  memory_bandwidth,     ///< compute limited by device memory bandwidth
  launch_overhead,      ///< compute limited by kernel launches
  activation_exchange,  ///< exposed layer communication, or messages between stages
  gradient_exchange,    ///< exposed gradient communication
  bubble,               ///< the busiest pipeline stage waits for others
  host_update,          ///< of weights whose state is offloaded
};
std::string_view name_of(Bottleneck bottleneck);

/// Time of one layer's passes on one rank over the whole step (all micro-batches), with what they
/// lose beside an exchange.
struct LayerTime {
  LayerId layer = 0;
  std::size_t stage = 0;
  Cost forward, backward_data, backward_weights;
  /// Another layer whose kernel computes its forward, and has the time; none: its own.
  std::optional<LayerId> computed_in = {};
  bool backward_too = false;  ///< that kernel's backward has this one's
  Seconds total() const { return forward.time + backward_data.time + backward_weights.time; }
};

/// One kind of transfer over the whole step: how often, how much, by what, over which level. A step
/// of a compressed exchange that a rank computes stands among them: it sends nothing.
struct TransferTime {
  Transfer transfer;
  std::optional<CompressionStep> computed{};  ///< in place of the collective
  std::size_t stage = 0;
  Phase phase = Phase::forward;
  std::int64_t times = 1;  ///< per step (micro-batches)
  std::int64_t ranks = 1;  ///< in the group
  Cost cost;               ///< of all times together
  Seconds exposed;         ///< of it on the step's length
  Bytes sent;              ///< by one rank per step
  std::string algorithm;   ///< "ring", …; "neighbour" for halo and send_receive
  std::string level;       ///< the topmost level crossed: "node", "leaf", …
  double sharing = 1;      ///< groups that share the narrowest link

  /// "all_reduce", "compress"
  std::string_view way() const {
    return computed ? name_of(*computed) : name_of(transfer.collective);
  }
};

/// What a stage of a pipeline does in one step, and holds.
struct StageTotals {
  LayerId first = 0, last = 0;  ///< layers [first, last)
  Breakdown parts;              ///< without messages and bubble
  Seconds messages;             ///< to the next stage and of gradients from it, all of them
  Bytes memory;
};

struct Fits {
  Cost step;  ///< step time with its interval
  double samples_per_second = 0;
  Timeline timeline;
  Footprint memory;
  Bottleneck bottleneck = Bottleneck::compute;
  std::string bottleneck_text;  ///< one sentence: which transfer on which link, or which layers
  std::array<Seconds, kSourceCount> time_by_source{};  ///< busy time by kind of evidence

  // Only with Detail::events.
  std::vector<LayerTime> layers;
  std::vector<TransferTime> transfers;
  std::vector<StageTotals> stages;
};

struct Evaluation {
  Strategy strategy;  ///< resolved where it fits, as asked otherwise
  Training training;
  std::int64_t ranks = 1;
  std::variant<Fits, Infeasible> result;
  std::optional<Plan> plan;              ///< with Detail::events, where the strategy can be planned
  std::vector<std::string> assumptions;  ///< with Detail::events: what was assumed, a line each
  std::optional<Fits> beyond{};  ///< of a step that lacks memory: what it would be, had it enough

  const Fits* fits() const { return std::get_if<Fits>(&result); }
  const Infeasible* infeasible() const { return std::get_if<Infeasible>(&result); }
  /// The step where memory suffices, and what it would be where it does not; null: no plan.
  const Fits* timed() const {
    if (fits() != nullptr) return fits();
    return beyond ? &*beyond : nullptr;
  }
};

/// Throws InputError where the strategy does not fit the network's layers or names an unknown
/// exchange.
Evaluation evaluate(const Graph& graph, const Cluster& cluster, const Profile& profile,
                    const Strategy& strategy, const Training& training,
                    Detail detail = Detail::totals);

}  // namespace oracle
