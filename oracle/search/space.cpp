#include "oracle/search/space.h"

#include <algorithm>
#include <set>

#include "oracle/cost/collectives/algorithm.h"
#include "oracle/plan/cuts/cut.h"

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

constexpr double kMebibyte = 1024.0 * 1024;
constexpr int kLargestTunedBucket = 256;  // MiB

template <typename T>
std::vector<T> or_own(const std::vector<T>& given, T own) {
  if (given.empty()) return {own};
  return given;
}

}  // namespace

void tune(const Device& device, SpaceOptions& options) {
  options.buckets.clear();
  for (int size = 1; size <= kLargestTunedBucket; size *= 2) {
    options.buckets.push_back(Bytes{size * kMebibyte});
  }
  options.exchanges = {"auto"};
  for (const Algorithm& row : all_algorithms()) {
    const bool on_request = !row.offered.nccl && !row.offered.mpi;
    if (row.serves != Collective::all_reduce) continue;
    if (on_request || row.offered.by(library_of(device))) options.exchanges.push_back(row.name);
  }
  options.overlaps = {true, false};
  options.schedules = {PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe};
}

std::vector<Variant> variants_of(const Strategy& strategy, const Strategy& base,
                                 const SpaceOptions& options) {
  const Variant own = variant_of(base);
  const auto buckets = or_own(options.buckets, own.bucket);
  const auto overlaps = or_own(options.overlaps, own.overlap);
  const auto exchanges = or_own(options.exchanges, own.exchange);
  const auto schedules = strategy.has(Cut::pipeline) ? or_own(options.schedules, own.schedule)
                                                     : std::vector{own.schedule};
  std::vector<Variant> variants = {own};
  for (const Bytes bucket : buckets) {
    for (const bool overlap : overlaps) {
      for (const std::string_view exchange : exchanges) {
        for (const PipelineSchedule schedule : schedules) {
          const Variant variant{bucket, exchange, overlap, schedule};
          if (variant != own) variants.push_back(variant);
        }
      }
    }
  }
  return variants;
}

SpaceOptions on_network(const Graph& graph, const SpaceOptions& options) {
  SpaceOptions space = options;
  std::erase_if(space.cuts, [&](Cut cut) { return !finds_positions(graph, cut); });
  return space.cuts.empty() ? options : space;
}

std::vector<Strategy> strategy_space(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                                     const SpaceOptions& options) {
  return Enumerator(batch, base, options).run(ranks);
}

}  // namespace oracle
