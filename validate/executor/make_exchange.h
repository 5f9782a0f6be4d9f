#pragma once
// Who exchanges the gradients of a plan, where it takes more than one collective?

#include <memory>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "oracle/plan/plan.h"
#include "validate/executor/groups.h"
#include "validate/executor/stepped_exchange.h"
#include "validate/executor/trained.h"

namespace oracle {

/// The arguments outlive it; `steps`: that are trained. Null where one collective is all.
std::unique_ptr<SteppedExchange> make_exchange(const Plan& plan, const Program& program,
                                               const TrainedLayers& trained, Backend& backend,
                                               Communicator& communicator, const RankGroups& groups,
                                               std::int64_t steps);

}  // namespace oracle
