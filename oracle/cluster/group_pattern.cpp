#include "oracle/cluster/group_pattern.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace oracle {
namespace {

constexpr std::int64_t kMostRanksSeen = 8192;

std::int64_t ranks_of(std::span<const AxisRun> runs) {
  std::int64_t ranks = 1;
  for (const AxisRun& run : runs) ranks *= run.degree;
  return ranks;
}

std::int64_t group_size_of(std::span<const AxisRun> runs) {
  std::int64_t size = 1;
  for (const AxisRun& run : runs) size *= run.in_group ? run.degree : 1;
  return size;
}

std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  std::int64_t largest = 1;
  for (std::int64_t small = 1; small * small <= number; ++small) {
    if (number % small != 0) continue;
    if (number / small <= most) return number / small;
    if (small <= most) largest = small;
  }
  return largest;
}

/// The largest size that nests with the runs and fits in `capacity`, and a group's members in it.
struct Nest {
  std::int64_t capacity = 1;
  std::int64_t members = 1;
};

Nest largest_nest(std::span<const AxisRun> runs, std::int64_t capacity) {
  Nest nest;
  for (std::size_t r = runs.size(); r-- > 0;) {
    const std::int64_t taken = largest_divisor(runs[r].degree, capacity / nest.capacity);
    nest.capacity *= taken;
    if (runs[r].in_group) nest.members *= taken;
    if (taken < runs[r].degree) break;
  }
  return nest;
}

/// The same runs, the outermost cut to as many values as show every position of groups in units.
std::vector<AxisRun> one_period(std::span<const AxisRun> runs, std::int64_t capacity) {
  std::vector<AxisRun> seen(runs.begin(), runs.end());
  const std::int64_t stride = ranks_of(runs.subspan(1));
  const std::int64_t period = capacity / std::gcd(stride, capacity);
  AxisRun& outermost = seen.front();
  outermost.degree = std::min(outermost.degree, outermost.in_group ? 2 * period : period);
  return seen;
}

/// Walks all ranks, a group's neighbouring members at once, and counts members by unit and group.
class Census {
 public:
  Census(std::span<const AxisRun> runs, std::int64_t capacity)
      : outer_(runs.begin(), runs.end()), capacity_(capacity), size_(group_size_of(runs)) {
    if (runs.back().in_group) {
      side_by_side_ = runs.back().degree;
      outer_.pop_back();
    }
    steps_ = ranks_of(outer_);
    const auto groups = static_cast<std::size_t>(ranks_of(runs) / size_);
    in_unit_.resize(groups);
    most_.resize(groups);
    digits_.resize(outer_.size());
  }

  GroupPattern take() {
    std::int64_t room = capacity_;
    for (; steps_ > 0; --steps_) {
      for (std::int64_t left = side_by_side_; left > 0;) {
        const std::int64_t taken = std::min(left, room);
        count(taken);
        left -= taken;
        room -= taken;
        if (room > 0) continue;
        close_unit();
        room = capacity_;
      }
      step();
    }
    close_unit();
    pattern_.members = *std::min_element(most_.begin(), most_.end());
    return pattern_;
  }

 private:
  void count(std::int64_t members) {
    const auto group = static_cast<std::size_t>(group_);
    if (in_unit_[group] == 0) touched_.push_back(group);
    in_unit_[group] += members;
  }

  void close_unit() {
    std::int64_t crossing = 0;
    for (const std::size_t group : touched_) {
      if (in_unit_[group] < size_) ++crossing;
      most_[group] = std::max(most_[group], in_unit_[group]);
      in_unit_[group] = 0;
    }
    touched_.clear();
    pattern_.crossing = std::max(pattern_.crossing, crossing);
  }

  /// The next digits, and the group they mean: those outside of the group, in mixed radix.
  void step() {
    std::int64_t stride = 1;
    for (std::size_t r = outer_.size(); r-- > 0;) {
      const bool wraps = ++digits_[r] == outer_[r].degree;
      if (!outer_[r].in_group) group_ += wraps ? stride - stride * outer_[r].degree : stride;
      if (!wraps) return;
      digits_[r] = 0;
      if (!outer_[r].in_group) stride *= outer_[r].degree;
    }
  }

  std::vector<AxisRun> outer_;
  std::int64_t capacity_;
  std::int64_t size_;
  std::int64_t side_by_side_ = 1;
  std::int64_t steps_ = 1;
  std::vector<std::int64_t> in_unit_;
  std::vector<std::int64_t> most_;
  std::vector<std::int64_t> digits_;
  std::vector<std::size_t> touched_;
  std::int64_t group_ = 0;
  GroupPattern pattern_{1, 0};
};

/// Counts one period. Ranks that differ only by less than a common factor of the innermost run
/// across groups and the capacity lie in the same units, so one of them stands for all.
GroupPattern enumerate(std::vector<AxisRun> seen, std::int64_t capacity) {
  std::int64_t alike = 1;
  if (!seen.back().in_group) alike = std::gcd(seen.back().degree, capacity);
  seen.back().degree /= alike;
  GroupPattern pattern = Census(seen, capacity / alike).take();
  pattern.crossing *= alike;
  return pattern;
}

}  // namespace

GroupPattern group_pattern(std::span<const AxisRun> runs, std::int64_t capacity) {
  const std::int64_t size = group_size_of(runs);
  if (size == 1 || capacity >= ranks_of(runs)) return {size, 0};
  const Nest nest = largest_nest(runs, capacity);
  if (nest.capacity < capacity) {
    std::vector<AxisRun> seen = one_period(runs, capacity);
    if (ranks_of(seen) <= kMostRanksSeen) return enumerate(std::move(seen), capacity);
  }
  const bool leaves = nest.members < size;
  return {nest.members, leaves ? (capacity + nest.members - 1) / nest.members : 0};
}

}  // namespace oracle
