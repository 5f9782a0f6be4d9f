#pragma once
// What may come out of a reader, and of the engine that is given what it read?
//
// Pinned by tests/fuzz/promises_test.cpp.

#include <string_view>

#include "oracle/base/error.h"
#include "oracle/cluster/cluster.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle::fuzz {

/// Defect unless the refusal names problems, each on one line that a terminal shows as it stands.
void check_refusal(const InputError& error);

/// Prices `strategy`, two samples per rank. Defect where the answer is no positive finite time and
/// memory.
void check_engine(const Graph& graph, const Cluster& cluster, const Strategy& strategy);

/// Whether `read` gave a value; InputError is the one other way out.
template <typename Read>
bool reads(Read read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    check_refusal(error);
    return false;
  }
}

}  // namespace oracle::fuzz
