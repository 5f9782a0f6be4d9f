#include "oracle/calibrate/stretch_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr int kShares = 20;
/// More turns than a core of one's own gives.
constexpr double kSharedTurns = 1.1;
constexpr double kLeastSlice = 1e-4, kMostSlice = 0.1, kSliceStep = 1.05;

double turns_of(const Turns& turns, Seconds stretch, double most) {
  return 1 + (most - 1) * turns.seen(stretch);
}

double error_of(const Turns& turns, std::span<const Stretch> measured, double most) {
  double sum = 0;
  for (const Stretch& one : measured) {
    sum += std::abs(
        std::log(turns_of(turns, one.computing, most) / std::max(1.0, one.took / one.computing)));
  }
  return sum;
}

Seconds longer(const Stretch& one) { return std::max(Seconds{}, one.waited - one.transfer_alone); }

double error_of(const Lateness& lateness, std::span<const Stretch> measured) {
  double sum = 0;
  for (const Stretch& one : measured) {
    const Seconds told = one.transfer_alone + lateness.after(one.computing);
    sum += std::abs(std::log(told / (one.transfer_alone + longer(one))));
  }
  return sum;
}

/// Keeps what fits best.
template <typename Fit>
class Best {
 public:
  void offer(const Fit& fit, double error) {
    if (error >= error_) return;
    error_ = error;
    fit_ = fit;
  }
  const Fit& fit() const { return fit_; }

 private:
  Fit fit_;
  double error_ = std::numeric_limits<double>::infinity();
};

/// Through both, or flat through the first where they are as long.
Lateness line_through(const Stretch& a, const Stretch& b) {
  const Seconds apart = b.computing - a.computing;
  const double share = apart.value == 0 ? 0 : (longer(b) - longer(a)) / apart;
  return {longer(a) - share * a.computing, share};
}

/// Of stretches after which as many ranks meet.
Turns turns_of_group(std::int64_t ranks, std::span<const Stretch> measured, double most) {
  Best<Turns> best;
  for (int step = 0; step < kShares; ++step) {
    for (double slice = kLeastSlice; slice <= kMostSlice; slice *= kSliceStep) {
      const Turns tried{static_cast<double>(step) / kShares, Seconds{slice}, ranks};
      best.offer(tried, error_of(tried, measured, most));
    }
  }
  return best.fit();
}

}  // namespace

std::vector<Turns> fit_turns(std::span<const Stretch> measured, double most) {
  std::vector<Turns> turns;
  if (most <= 1) return turns;
  std::map<std::int64_t, std::vector<Stretch>> groups;
  for (const Stretch& one : measured) groups[one.ranks].push_back(one);
  for (const auto& [ranks, of_group] : groups) {
    turns.push_back(turns_of_group(ranks, of_group, most));
  }
  return turns;
}

Refill fit_refill(std::span<const CacheRefill> measured, double most) {
  if (most <= 1 || measured.empty()) return {};
  std::vector<double> per_byte;
  Bytes own;
  for (const CacheRefill& one : measured) {
    per_byte.push_back((one.after - one.near).value / one.copied.value);
    own = std::max(own, one.own);
  }
  return {std::max(0.0, median(std::move(per_byte))), own};
}

Lateness fit_lateness(std::span<const Stretch> stretches) {
  std::vector<Stretch> measured;
  std::copy_if(stretches.begin(), stretches.end(), std::back_inserter(measured),
               [](const Stretch& one) { return one.took <= kSharedTurns * one.computing; });
  Best<Lateness> best;
  best.offer({}, error_of(Lateness{}, measured));
  for (const Stretch& a : measured) {
    for (const Stretch& b : measured) {
      for (const Lateness& line :
           {line_through(a, b), Lateness{longer(a), 0}, Lateness{{}, longer(a) / a.computing}}) {
        if (line.each.value < 0 || line.share < 0) continue;
        best.offer(line, error_of(line, measured));
      }
    }
  }
  return best.fit();
}

}  // namespace oracle
