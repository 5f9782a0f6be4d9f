#include "oracle/plan/layout/dealt.h"

#include <algorithm>

namespace oracle {
namespace {

/// Adds what `numbers` have of the run of `count` numbers from `first` on, which lies at `begin`.
void add_common(std::span<const Positions> numbers, std::int64_t first, std::int64_t count,
                std::int64_t begin, std::vector<Positions>& positions) {
  for (const Positions& some : numbers) {
    const std::int64_t from = std::max(some.begin, first);
    const std::int64_t to = std::min(some.end, first + count);
    if (from < to) positions.push_back({begin + from - first, begin + to - first});
  }
}

std::vector<Positions> joined(std::vector<Positions> positions) {
  std::sort(positions.begin(), positions.end(),
            [](const Positions& a, const Positions& b) { return a.begin < b.begin; });
  std::vector<Positions> apart;
  for (const Positions& next : positions) {
    if (!apart.empty() && apart.back().end == next.begin) {
      apart.back().end = next.end;
    } else {
      apart.push_back(next);
    }
  }
  return apart;
}

}  // namespace

std::vector<Positions> dealt_positions(std::span<const Positions> numbers, std::int64_t extent,
                                       std::int64_t parts) {
  std::vector<Positions> positions;
  std::int64_t front = 0, back = extent;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = part * extent / parts;
    const std::int64_t count = (part + 1) * extent / parts - first;
    const std::int64_t of_front = parts == 1 ? count : (count + 1) / 2, of_back = count - of_front;
    back -= of_back;
    add_common(numbers, first, of_front, front, positions);
    add_common(numbers, first + of_front, of_back, back, positions);
    front += of_front;
  }
  return joined(std::move(positions));
}

}  // namespace oracle
