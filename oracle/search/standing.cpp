#include "oracle/search/standing.h"

#include <algorithm>
#include <limits>

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

std::optional<Standing> Bar::get() const {
  if (keep_ == 0 || best_.size() < keep_) return std::nullopt;
  Standing last = best_.back();
  const Seconds near = best_.front().time * (1 + within_);
  if (objective_ == Objective::memory || within_ == 0 || last.time > near) return last;
  // Of equal times the smaller memory is better, and none is smaller than needed here.
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return Standing{near, best_.front().samples_per_second / (1 + within_), Bytes{kAny}};
}

void Bar::raise(const Standing& known) {
  if (keep_ == 0) return;
  const auto place = std::upper_bound(
      best_.begin(), best_.end(), known,
      [&](const Standing& a, const Standing& b) { return better(a, b, objective_); });
  best_.insert(place, known);
  if (best_.size() > keep_) best_.pop_back();
}

}  // namespace oracle
