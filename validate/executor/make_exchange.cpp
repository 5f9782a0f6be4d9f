#include "validate/executor/make_exchange.h"

#include "oracle/plan/exchanges/gradient_exchange.h"
#include "validate/executor/compressed_exchange.h"
#include "validate/executor/server_exchange.h"
#include "validate/executor/stale_servers.h"

namespace oracle {

std::unique_ptr<SteppedExchange> make_exchange(const Plan& plan, const Program& program,
                                               const TrainedLayers& trained, Backend& backend,
                                               Communicator& communicator, const RankGroups& groups,
                                               std::int64_t steps) {
  const ChosenExchange exchange = chosen_exchange(plan.strategy.exchange);
  if (exchange.compresses()) {
    return std::make_unique<CompressedExchange>(exchange, program.buckets, trained, backend,
                                                communicator, groups);
  }
  if (exchange.servers() == 0) return nullptr;
  if (plan.strategy.waits_for_all()) {
    return std::make_unique<ServerExchange>(program, trained, backend, communicator, groups);
  }
  return std::make_unique<StaleServers>(program, trained, backend, communicator, groups,
                                        plan.strategy.staleness, steps);
}

}  // namespace oracle
