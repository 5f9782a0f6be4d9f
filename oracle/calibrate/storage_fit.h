#pragma once
// What do measurements of storage amount to?
//
// One rate for each operation, number of workers and state of the cache. Of one size it is bytes
// over the median time. Of several sizes t = latency + bytes/rate, by the median of the slopes
// between all pairs of sizes and the median of what is left (Theil 1950; Sen, JASA 63, 1968), which
// up to 29 % of outliers do not move; where less than a tenth of the
// largest size's time comes with its bytes, that size alone counts.
//
//   uncertainty   the larger of the calls' spread (median over sizes) and the 90th percentile of
//                 the sizes' residuals
//
// Worked: 10 MB in 60 ms and 30 MB in 160 ms: 10 ms and 200 MB/s
//                                                        tests/calibrate/storage_fit_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/storage.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {

/// By operation, workers and cache.
std::vector<StorageRate> fit_storage(std::span<const StorageSample> samples);

}  // namespace oracle
