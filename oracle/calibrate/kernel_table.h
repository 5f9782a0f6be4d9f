#pragma once
// What do the kernels measured become in a profile?
//
// Each sample is priced under the key by which the engine will ask for it (cost/compute/kernel.h):
// its mean, for a step is as long as the sum of means (microbench/timing/series.h), or the median
// where samples have no more, with the half-width of a normal 90 % interval whose 10th and 90th
// percentile are those measured:
//
//   u = 1.2835·max(high − median, median − low) / median           1.2835 = 1.6449 / 1.2816
//
// Of samples of one key the last counts. Kernels that the engine does not price (a copy that a
// launch hides) are left out.
//
// Worked: 100 us, 99 to 104 → 100 us ± 5.1 %             tests/calibrate/kernel_table_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {

/// Sorted by key, each once.
std::vector<KernelTime> kernel_table(std::span<const KernelSample> samples,
                                     std::span<const CompressionSample> compressions = {});

/// What the sample's kernel moves, at least (cost/compute/kernel.h). Throws as key_of().
Bytes traffic_of(const KernelSample& sample);

/// The key of a sample. Throws InputError where no layer is like it.
KernelKey key_of(const KernelSample& sample);

}  // namespace oracle
