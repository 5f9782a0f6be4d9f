#include "oracle/cost/compute/gpu_linear_attention.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

/// Of one multiprocessor in a clock.
constexpr double kFlopsInAClock = 470;
/// From a chunk's state to the next one's.
constexpr double kClocksOfAHop = 2180;
/// Where a device has no rate for fp32, of the matrix peak.
constexpr double kPartOfPeak = 0.12;
/// Part of the rate that is left backward, which hands states forwards and their gradients back.
constexpr double kLinearBackward = 0.73;
constexpr double kWaysBack = 2;

/// Lanes for fp32 of one multiprocessor: those of data centers up to the A100 have half as many.
double lanes_of(const Device& device) {
  constexpr double kLanes = 128;
  const bool half = device.generation == Generation::volta ||
                    device.generation == Generation::turing ||
                    (device.generation == Generation::ampere && device.matrix_rate == 0);
  return half ? kLanes / 2 : kLanes;
}

/// At which it computes in fp32 [1/s]; 0 where it has no rate for it.
double clock_of(const Device& device) {
  return device.peak_of(DataType::fp32).value /
         (2 * lanes_of(device) * static_cast<double>(device.multiprocessors));
}

}  // namespace

Seconds linear_attention_seconds(const KernelDemand& demand, const Device& device, double peak,
                                 double units) {
  const auto m = static_cast<double>(demand.m), n = static_cast<double>(demand.n),
             k = static_cast<double>(demand.k), heads = static_cast<double>(demand.groups),
             chunk = static_cast<double>(demand.window);
  const bool forward = demand.pass == Pass::forward;
  const double ways = forward ? 1 : kWaysBack, part = forward ? 1 : kLinearBackward;
  const double clock = clock_of(device);
  const double reached = clock > 0 ? kFlopsInAClock * units * clock : kPartOfPeak * 2 * peak;
  const double rate = part * std::min(reached, 2 * peak);
  const double states = ways * 4 * m * heads * n * k;
  const double hop = clock > 0 ? kClocksOfAHop / clock : 0;
  const double hops = ways * std::ceil(m / chunk) * hop / part;
  return Seconds{(demand.flops.value - states) / rate + std::max(states / rate, hops)};
}

}  // namespace oracle
