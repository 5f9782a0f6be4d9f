#pragma once
// With which other options do gradients not travel compressed?
//
// What is compressed is a bucket of whole gradients, once a step.
//                                              tests/plan/exchanges/refused_exchange_test.cpp

#include <optional>

#include "oracle/plan/infeasible.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"

namespace oracle {

/// Why not; nothing where they do.
std::optional<Infeasible> refused_exchange(const Strategy& strategy, const Precision& precision);

/// Whether a strategy's exchange lets something else be trained than synchronous training does.
bool trains_otherwise(const Strategy& strategy);

}  // namespace oracle
