#pragma once
// What does an evaluation say item by item, and what limits the step? Helpers of evaluate().

#include <string>
#include <vector>

#include "oracle/cost/plan_pricer.h"
#include "oracle/evaluate/evaluation.h"

namespace oracle {

std::vector<LayerTime> layer_times(const Setting& setting, const Plan& plan, const Prices& prices,
                                   const Timeline& timeline);

std::vector<TransferTime> transfer_times(const Setting& setting, const Plan& plan,
                                         const Timeline& timeline);

/// The largest part of the step; compute is split by what bounds the slowest stage's kernels.
/// An update on the host is a part of its own.
Bottleneck find_bottleneck(const Timeline& timeline, const ComputeBounds& slowest,
                           const Offload& offload);

/// One sentence on it: which transfer over which link, or which layers.
std::string describe_bottleneck(const Setting& setting, const Plan& plan, const Fits& fits);

/// What was assumed, a line each.
std::vector<std::string> list_assumptions(const Setting& setting, const Plan& plan);

}  // namespace oracle
