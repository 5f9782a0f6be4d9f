#include "oracle/search/space.h"

#include <algorithm>
#include <set>

namespace oracle {
namespace {

/// More micro-batches than this shorten no bubble worth naming and make each too small to compute
/// well.
constexpr std::int64_t kMostMicroBatches = 256;

/// Depth-first over meshes: one more axis at a time.
class Enumerator {
 public:
  Enumerator(std::int64_t batch, const Strategy& base, const SpaceOptions& options)
      : batch_(batch), options_(options), current_(base) {
    current_.mesh.clear();
    current_.rules.clear();
  }

  std::vector<Strategy> run(std::int64_t ranks) {
    extend(ranks);
    return std::move(found_);
  }

 private:
  void extend(std::int64_t left) {
    if (left == 1) {
      emit();
      return;
    }
    if (current_.mesh.size() == options_.most_axes) return;
    const bool is_last = current_.mesh.size() + 1 == options_.most_axes;
    for (std::int64_t degree = is_last ? left : 2; degree <= left; ++degree) {
      if (left % degree != 0) continue;
      for (const Cut cut : options_.cuts) {
        if (current_.has(cut)) continue;
        current_.mesh.push_back({degree, cut});
        extend(left / degree);
        current_.mesh.pop_back();
      }
    }
  }

  std::int64_t degree_of(Cut cut) const {
    for (const MeshAxis& axis : current_.mesh) {
      if (axis.cut == cut) return axis.degree;
    }
    return 1;
  }

  void emit() {
    const std::int64_t stages = degree_of(Cut::pipeline);
    if (stages == 1 || current_.micro_batches != 0) {
      found_.push_back(current_);
      return;
    }
    const std::int64_t samples = std::max<std::int64_t>(1, batch_ / degree_of(Cut::sample));
    std::set<std::int64_t> counts;
    for (const std::int64_t per_stage : {1, 2, 4, 8}) {
      counts.insert(std::min({per_stage * stages, samples, std::max(kMostMicroBatches, stages)}));
    }
    for (const std::int64_t count : counts) {
      found_.push_back(current_);
      found_.back().micro_batches = count;
    }
  }

  std::int64_t batch_;
  const SpaceOptions& options_;
  Strategy current_;
  std::vector<Strategy> found_;
};

}  // namespace

std::vector<Strategy> strategy_space(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                                     const SpaceOptions& options) {
  return Enumerator(batch, base, options).run(ranks);
}

}  // namespace oracle
