#pragma once
// How long do ranks wait for the last of them before their gradients can be summed?
//
// Ranks with equal work take times that scatter by a part σ of their mean. The largest of n normal
// values lies sigma*sqrt(2 ln n) above the mean:
//
//   skew = σ·sqrt(2 ln n)·computing
//
// No overlap hides it: the last bucket waits for the last rank. σ is Device::compute_spread; that
// of none said is fitted on one node of 8 V100 in eight frameworks, which keep 0.93 to 0.98 of
// their speed in fp32 though NVLink takes 1 % of a step (github.com/Oneflow-Inc/DLPerf, ResNet-50,
// 2020).
//
// With b back-up ranks the last b are not waited for (Chen et al., arXiv 1604.00981). The k-th of n
// normal values lies z(k, n) deviations above the mean (Blom, 1958), and the wait is as much
// shorter:
//
//   skew = σ·sqrt(2 ln n)·computing · z(n-b, n)/z(n, n)     z(k, n) = Φ⁻¹((k - 3/8)/(n + 1/4))
//
// Worked: 8 ranks that compute for 100 ms wait 5.1 ms, with one to back up 3.03 ms
//                                                               tests/cost/arrival_skew_test.cpp

#include <cstdint>

#include "oracle/base/units.h"

namespace oracle {

/// Of how many deviations the k-th smallest of n normal values lies above the mean, about.
double order_statistic(std::int64_t k, std::int64_t n);

/// `spread`: of the ranks' times; `backup` of `ranks` are not waited for.
Seconds arrival_skew(Seconds computing, std::int64_t ranks, double spread, std::int64_t backup = 0);

}  // namespace oracle
