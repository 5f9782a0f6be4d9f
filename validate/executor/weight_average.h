#pragma once
// How do ranks that train by themselves average their weights?
//
// A bucket at a time: its weights are copied into a buffer in plain order, summed, divided by the
// ranks and copied back. Sums have the same bits on every rank, and so have the means.
//                                              tests/validate/executor/weight_average_test.cpp

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

/// Returns the bytes sent. The back end's buffers are in the host's memory.
double average_weights(const WeightAverage& average, const TrainedLayers& trained, Backend& backend,
                       Communicator& communicator, const RankGroups& groups);

}  // namespace oracle
