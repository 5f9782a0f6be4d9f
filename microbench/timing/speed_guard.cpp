#include "microbench/timing/speed_guard.h"

#include <algorithm>

#include "microbench/timing/clocks.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr double kLeastSpeed = 0.75;
constexpr int kProbes = 3;
constexpr int kChain = 50'000;
constexpr std::size_t kFew = 32;

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
  // A median of thousands is not taken anew for each probe.
  if (rates_.size() < kFew || rates_.size() % kFew == 0) typical_ = typical();
  return fast;
}

double SpeedGuard::typical() const { return median(rates_); }

double SpeedGuard::speed_now() {
  double rate = 0;
  for (int i = 0; i < kProbes; ++i) rate = std::max(rate, chain_rate());
  return rate;
}

double SpeedGuard::chain_rate() {
  std::uint64_t value = 1;
  const double begin = now(Clock::processor);
  for (int i = 0; i < kChain; ++i) value = value * 6364136223846793005U + 1442695040888963407U;
  const double seconds = now(Clock::processor) - begin;
  // The result is used, so that the chain is.
  const volatile std::uint64_t kept = value;
  static_cast<void>(kept);
  return seconds > 0 ? kChain / seconds : 0;
}

}  // namespace oracle
