#include "oracle/plan/exchanges/refused_exchange.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

Infeasible refusal(std::string subject, std::string remedy) {
  return {Constraint::exchange, std::move(subject), 0, 0, {}, std::move(remedy)};
}

/// Ranks that do not wait for each other exchange nothing but gradients and weights.
std::optional<Infeasible> refused_staleness(const Strategy& strategy, const Precision& precision) {
  constexpr const char* kWithout = "leave out staleness=";
  if (chosen_exchange(strategy.exchange).servers() == 0) {
    return refusal("staleness= is of servers, and exchange=" + strategy.exchange + " has none",
                   "write exchange=servers:4, or leave out staleness=");
  }
  const bool shares_samples =
      strategy.batch_norm != BatchNormMode::synchronized && strategy.rules.empty() &&
      std::all_of(strategy.mesh.begin(), strategy.mesh.end(),
                  [](const MeshAxis& axis) { return axis.cut == Cut::sample; });
  if (!shares_samples) {
    return refusal(
        "staleness= lets ranks run ahead of each other, which have samples of their own "
        "and share nothing but weights",
        "shard samples alone (data), or leave out staleness=");
  }
  if (precision.compute == DataType::fp16) {
    return refusal("staleness= lets ranks run ahead, which agree on a loss scale in each step",
                   kWithout);
  }
  return std::nullopt;
}

}  // namespace

bool trains_otherwise(const Strategy& strategy) {
  return chosen_exchange(strategy.exchange).loses() || strategy.staleness > 0;
}

std::optional<Infeasible> refused_exchange(const Strategy& strategy, const Precision& precision) {
  const ChosenExchange exchange = chosen_exchange(strategy.exchange);
  if (!strategy.waits_for_all()) {
    if (auto refused = refused_staleness(strategy, precision)) return refused;
  }
  if (exchange.row == nullptr) return std::nullopt;
  const std::string name = "exchange=" + strategy.exchange;
  if (strategy.zero > 0) {
    const std::string zero = "zero=" + std::to_string(strategy.zero);
    return refusal(name + " leaves gradients whole, and " + zero + " sums them into shards",
                   "leave out " + zero + " or " + name);
  }
  if (strategy.sums_each_micro_batch()) {
    return refusal(name + " sends once a step, and sync=micro_batch in each micro-batch",
                   "write sync=step, or leave out " + name);
  }
  if (strategy.offload.optimizer && (exchange.averages() || exchange.servers() > 0)) {
    return refusal(name + " exchanges weights once they are updated, and offload=optimizer has " +
                       "their state on the host of each rank",
                   "leave out offload=optimizer or " + name);
  }
  if (exchange.row->route == ExchangeRoute::merge) {
    for (const MeshAxis& axis : strategy.mesh) {
      if (std::has_single_bit(static_cast<std::uint64_t>(axis.degree))) continue;
      return refusal(name + " merges ranks in pairs, and " + std::to_string(axis.degree) +
                         " is no power of two",
                     "use 2, 4, 8, ... ranks, or exchange=topk");
    }
  }
  const bool sums = exchange.row->route == ExchangeRoute::sum;
  if (sums && precision.travelling_bytes() <= 2) {
    return refusal(name + " sends 2 bytes a value, and gradients travel in as many already",
                   "leave out " + name);
  }
  return std::nullopt;
}

}  // namespace oracle
