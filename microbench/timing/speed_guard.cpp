#include "microbench/timing/speed_guard.h"

#include <algorithm>
#include <array>

#include "microbench/timing/clocks.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr double kLeastSpeed = 0.75;
constexpr int kProbes = 3;
constexpr int kRounds = 15'000;
constexpr std::size_t kFew = 32;

/// A register of any x86-64 or Arm core, and more of them than operations are under way at a time.
constexpr int kLanes = 4, kVectors = 12;
using Vector __attribute__((vector_size(kLanes * sizeof(float)))) = float;
constexpr Vector kHalf = {0.5F, 0.5F, 0.5F, 0.5F};

}  // namespace

SpeedGuard::SpeedGuard(std::function<double()> probe) : probe_(std::move(probe)) {
  for (int i = 0; i < kProbes; ++i) rates_.push_back(probe_());
  typical_ = median(rates_);
}

bool SpeedGuard::at_speed() {
  double rate = 0;
  for (int i = 0; i < kProbes && rate < typical_; ++i) rate = std::max(rate, probe_());
  rates_.push_back(rate);
  lowest_ = std::min(lowest_, rate / typical_);
  const bool fast = rate >= kLeastSpeed * typical_;
  if (!fast) ++slow_;
  // A median of thousands is not taken again for each probe.
  if (rates_.size() < kFew || rates_.size() % kFew == 0) typical_ = typical();
  return fast;
}

double SpeedGuard::typical() const { return median(rates_); }

double SpeedGuard::speed_now() {
  double rate = 0;
  for (int i = 0; i < kProbes; ++i) rate = std::max(rate, arithmetic_rate());
  return rate;
}

double SpeedGuard::arithmetic_rate() {
  // Each begins at a value of its own, which no compiler knows, so that none is another's.
  std::array<Vector, kVectors> values{};
  volatile float first = 1;
  for (Vector& value : values) {
    value += first;
    first = first + 1;
  }
  const double begin = now(Clock::processor);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (Vector& value : values) value = value * kHalf + kHalf;
  }
  const double seconds = now(Clock::processor) - begin;
  // The result is used, so that the arithmetic is.
  Vector sum{};
  for (const Vector& value : values) sum += value;
  const volatile float kept = sum[0];
  static_cast<void>(kept);
  return seconds > 0 ? 2.0 * kLanes * kVectors * kRounds / seconds : 0;
}

}  // namespace oracle
