#pragma once
// Which layers does each stage of a pipeline get where a strategy leaves that open?
//
// The network is planned and priced in one stage; each layer then has the time of its passes, with
// the communication before them, and each tensor a price as a message. timeline/stage_balance.h
// chooses of them. No stage begins within a kernel that computes several layers, nor between layers
// that share a weight, as long as there are other places.
//
// Worked: VGG-16 as pipeline:4 on V100s                          tests/evaluate/balance_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/evaluate/one_stage.h"
#include "oracle/timeline/stage_balance.h"

namespace oracle {

/// The time of each layer's passes, or of the forward ones alone, of a plan in one stage. A
/// transfer belongs to the pass that waits for it; a gradient changes its layout in the stage that
/// sends it back. `settled`: all but sums of gradients, which the stage of their readers may make.
enum class Passes : std::uint8_t { all, forward, settled };
std::vector<Seconds> layer_costs(const Graph& graph, const Stage& stage, const StagePrices& prices,
                                 Passes passes);

/// `strategy` with the stages named that a pipeline has; as it is where it names them, has no
/// pipeline, or cannot be planned.
Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training,
                     OneStage& one_stage);
Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training);

/// No step of a pipeline is shorter with the stages that with_stages() names (stage_balance.h),
/// with each of these numbers of them on a rank, whatever the strategy's own; 0 where it names
/// none.
std::vector<Seconds> least_with_stages(const Setting& setting, const Strategy& strategy,
                                       const Training& training,
                                       std::span<const std::int64_t> chunks, OneStage& one_stage);

/// No step without a pipeline is shorter than the passes of all its layers, with what these wait
/// for; 0 where it cannot be planned.
Seconds least_in_one_stage(const Strategy& strategy, const Training& training, OneStage& one_stage);

}  // namespace oracle
