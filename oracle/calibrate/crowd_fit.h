#pragma once
// What do kernels measured alone and beside others of their kind say about a shared memory?
//
// While N ranks run the same kernel each takes slope·max(0, bytes − own) longer, and at most N
// times as long (Contention in cluster/profile.h; bytes: traffic in cost/compute/kernel.h). Of all
// pairs of an `own` (nothing, or a power of two) and a slope through one of the points, the pair of
// the least Σ |log(fitted / measured)|: a few wild points do not move it.
//
// Worked: kernels of 1 ms that move 1, 2, 6.1, 8.1 and 10.1 MB and take 1, 1, 1.4, 1.6 and 1.8 ms
// beside another, one of 4 MB 1.9 ms: 2 MiB their own, 0.1 ns for each byte more
//                                                             tests/calibrate/crowd_fit_test.cpp

#include <span>

#include "oracle/cluster/profile.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {

/// Of those that were measured with the most ranks; nothing of none.
Contention fit_contention(std::span<const CrowdedKernel> measured);

}  // namespace oracle
