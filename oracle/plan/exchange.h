#pragma once
// Which items of a stage exchange its gradients and update its weights?
//
// The gradients that backward leaves (Stage::backward_end) go into buckets of at least the
// strategy's size; with overlap each bucket is exchanged when its last gradient is there, without
// when all of backward is over. One update of all weights waits for everything. Nothing else in a
// plan depends on bucket, overlap and exchange, so the variants of a strategy that differ in these
// only have this part written anew.            tests/plan/exchange_test.cpp, partition_test.cpp

#include "oracle/plan/buckets.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Writes exchange and update behind the backward items, in place of those that were there.
/// `buckets` is room to work in: once it and the stage have held as much, nothing is allocated.
void emit_exchange(const Strategy& strategy, Stage& stage, Buckets& buckets);

}  // namespace oracle
