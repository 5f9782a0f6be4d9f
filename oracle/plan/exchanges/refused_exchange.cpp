#include "oracle/plan/exchanges/refused_exchange.h"

#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

Infeasible refusal(std::string subject, std::string remedy) {
  return {Constraint::exchange, std::move(subject), 0, 0, {}, std::move(remedy)};
}

}  // namespace

std::optional<Infeasible> refused_exchange(const Strategy& strategy, const Precision& precision) {
  const ChosenExchange exchange = chosen_exchange(strategy.exchange);
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
  const bool sums = exchange.row->route == ExchangeRoute::sum;
  if (sums && precision.travelling_bytes() <= 2) {
    return refusal(name + " sends 2 bytes a value, and gradients travel in as many already",
                   "leave out " + name);
  }
  return std::nullopt;
}

}  // namespace oracle
