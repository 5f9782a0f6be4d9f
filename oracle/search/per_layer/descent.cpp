#include "oracle/search/per_layer/descent.h"

#include <algorithm>
#include <set>

namespace oracle::per_layer {
namespace {

/// Up to so many contractions every choice of each is tried, not only those seen elsewhere.
constexpr std::size_t kFewSteps = 24;

class Descent {
 public:
  Descent(const Problem& problem, std::span<const Path> paths, Judge& judge)
      : problem_(problem), judge_(judge) {
    for (const Path& path : paths) palette_.insert(path.begin(), path.end());
  }

  void run() {
    bool better = true;
    while (better && !judge_.spent()) {
      const Path from = judge_.best()->path;
      palette_.insert(from.begin(), from.end());
      better = change_runs(from) || move_ends(from) || change_single(from);
    }
  }

 private:
  /// Looks at `from` with steps [first, end) cut as `choice`, where they can be.
  bool attempt(const Path& from, std::size_t first, std::size_t end, std::uint16_t choice) {
    Path path = from;
    for (std::size_t k = first; k < end; ++k) {
      const std::uint16_t own = choice_at(problem_, k, choice);
      if (own != kRefused) path[k] = own;
    }
    return path != from && judge_.look_at(path);
  }

  static std::size_t end_of_run(const Path& path, std::size_t first) {
    std::size_t end = first + 1;
    while (end < path.size() && path[end] == path[first]) ++end;
    return end;
  }

  bool change_runs(const Path& from) {
    bool better = false;
    for (std::size_t first = 0; first < from.size(); first = end_of_run(from, first)) {
      for (const std::uint16_t choice : palette_) {
        better = attempt(from, first, end_of_run(from, first), choice) || better;
      }
    }
    return better;
  }

  bool move_ends(const Path& from) {
    bool better = false;
    for (std::size_t k = 0; k + 1 < from.size(); ++k) {
      if (from[k] == from[k + 1]) continue;
      for (const std::size_t by : {1U, 3U}) {
        better = attempt(from, k + 1, std::min(k + 1 + by, from.size()), from[k]) || better;
        better =
            attempt(from, k + 1 - std::min<std::size_t>(by, k + 1), k + 1, from[k + 1]) || better;
      }
    }
    return better;
  }

  bool change_single(const Path& from) {
    bool better = false;
    for (std::size_t k = 0; k < from.size() && !judge_.spent(); ++k) {
      if (from.size() <= kFewSteps) {
        for (const std::uint16_t choice : problem_.steps()[k].choices) {
          better = attempt(from, k, k + 1, choice) || better;
        }
        continue;
      }
      for (const std::uint16_t choice : palette_) {
        better = attempt(from, k, k + 1, choice) || better;
      }
    }
    return better;
  }

  const Problem& problem_;
  Judge& judge_;
  std::set<std::uint16_t> palette_;
};

}  // namespace

std::uint16_t choice_at(const Problem& problem, std::size_t step, std::uint16_t choice) {
  const Step& at = problem.steps()[step];
  const VariantTable& table = problem.table(at.contraction);
  const std::uint16_t variant = table.by_choice[choice];
  if (variant == kRefused) return kRefused;
  const auto same = std::find_if(at.choices.begin(), at.choices.end(), [&](std::uint16_t own) {
    return table.by_choice[own] == variant;
  });
  return *same;
}

void descend(const Problem& problem, std::span<const Path> paths, Judge& judge) {
  if (!judge.best() || judge.best()->path.empty()) return;
  Descent(problem, paths, judge).run();
}

}  // namespace oracle::per_layer
