#pragma once
// How much longer do kernels take than priced, where a step was measured?
//
// The factor by which all kernels must be longer for the step to be as long as measured; messages
// and the host's launches stay as they are. Kernels are as far off as their interval says at most
// (cost/uncertainty.h): a step that wants more waited for something else.
//
// Worked: ResNet-50 on a V100 in 1.3 times the step that is predicted: between 1.3 and 1.35
//                                                          tests/evaluate/measured_pace_test.cpp

#include <optional>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// A step as somebody measured it.
struct MeasuredRun {
  Strategy strategy;
  Training training;
  Seconds step;
};

/// Over what the cluster's own pace says. Throws InputError where the strategy cannot be planned.
std::optional<double> factor_of_kernels(const Setting& setting, const MeasuredRun& run);

}  // namespace oracle
