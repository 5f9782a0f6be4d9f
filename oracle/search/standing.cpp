#include "oracle/search/standing.h"

#include <algorithm>

namespace oracle {

bool better(const Standing& a, const Standing& b, Objective objective) {
  switch (objective) {
    case Objective::throughput:
      return a.samples_per_second > b.samples_per_second;
    case Objective::memory:
      return a.memory != b.memory ? a.memory < b.memory : a.time < b.time;
    case Objective::time:
    case Objective::cost:
      break;
  }
  return a.time != b.time ? a.time < b.time : a.memory < b.memory;
}

std::optional<Standing> Bar::get() {
  const std::lock_guard lock(mutex_);
  if (keep_ == 0 || best_.size() < keep_) return std::nullopt;
  return best_.back();
}

void Bar::raise(const Standing& known) {
  if (keep_ == 0) return;
  const std::lock_guard lock(mutex_);
  const auto place = std::upper_bound(
      best_.begin(), best_.end(), known,
      [&](const Standing& a, const Standing& b) { return better(a, b, objective_); });
  best_.insert(place, known);
  if (best_.size() > keep_) best_.pop_back();
}

}  // namespace oracle
