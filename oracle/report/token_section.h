#pragma once
// How fast are texts trained on?
//
//   throughput    131,072 tokens/s, 16,384 per GPU
//   utilization   395 TFLOP/s per GPU, 40 % of the peak (3 x forward, masked pairs, nothing twice)

#include "oracle/evaluate/token_rates.h"
#include "oracle/report/sections.h"

namespace oracle::report {

Fields token_fields(const TokenRates& rates, const Cluster& cluster);

}  // namespace oracle::report
