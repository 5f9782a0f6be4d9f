#include "oracle/search/space.h"

#include <algorithm>

#include "oracle/cost/collectives/algorithm.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/recompute.h"

namespace oracle {
namespace {

/// More micro-batches than this shorten no bubble worth naming and make each too small to compute
/// well.
constexpr std::int64_t kMostMicroBatches = 512;

using Visit = std::function<void(const Strategy&, const MeshAxis*)>;

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> small, large;
  for (std::int64_t d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    small.push_back(d);
    if (d != number / d) large.push_back(number / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// What a pipeline is tried with, ascending: all of one size.
std::vector<std::int64_t> micro_batches(std::int64_t stages, std::int64_t samples) {
  std::vector<std::int64_t> counts;
  const auto add = [&](std::int64_t count) {
    if (count <= std::max(kMostMicroBatches, stages)) counts.push_back(count);
  };
  for (const std::int64_t per_stage : {1, 2, 4, 8}) {
    if (samples % (per_stage * stages) == 0) add(per_stage * stages);
  }
  for (const std::int64_t size : {1, 2, 4}) {
    if (samples % size == 0 && samples / size >= stages) add(samples / size);
  }
  if (counts.empty()) counts.push_back(std::min(stages, samples));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// From stages, whose messages are rarest, to the parts of a product, whose messages are largest.
int place_in_order(Cut cut) {
  switch (cut) {
    case Cut::pipeline:
      return 0;
    case Cut::sample:
      return 1;
    case Cut::context:
    case Cut::ring:
    case Cut::ulysses:
    case Cut::expert:
      return 2;
    default:
      return 3;
  }
}

/// Depth-first over meshes: one more axis at a time.
class Enumerator {
 public:
  Enumerator(std::int64_t ranks, std::int64_t batch, const Strategy& base,
             const SpaceOptions& options, const RefusesAxis& refuses, const Visit& visit)
      : batch_(batch),
        options_(options),
        refuses_(refuses),
        visit_(visit),
        divisors_(divisors_of(ranks)),
        chunks_(options.chunks.empty() || base.chunks > 1 ? std::vector{base.chunks}
                                                          : options.chunks),
        current_(base) {
    current_.mesh.clear();
    current_.rules.clear();
  }

  void extend(std::int64_t left) {
    if (left == 1) {
      emit();
      return;
    }
    const std::size_t most = std::max(options_.most_axes, options_.most_in_order);
    if (current_.mesh.size() == most) return;
    const bool is_last = current_.mesh.size() + 1 == most;
    for (const std::int64_t degree : divisors_) {
      if (degree > left) return;
      if (degree < (is_last ? left : 2) || left % degree != 0) continue;
      for (const Cut cut : options_.cuts) {
        if (current_.has(cut) || (is_of_positions(cut) && has_positions())) continue;
        current_.mesh.push_back({degree, cut});
        if (current_.mesh.size() > options_.most_axes && !is_in_order()) {
          current_.mesh.pop_back();
          continue;
        }
        const bool refuses = refused_.degree == 0 && refuses_ && refuses_(current_.mesh.back());
        if (refuses) refused_ = current_.mesh.back();
        extend(left / degree);
        if (refuses) refused_.degree = 0;
        current_.mesh.pop_back();
      }
    }
  }

 private:
  std::int64_t degree_of(Cut cut) const {
    for (const MeshAxis& axis : current_.mesh) {
      if (axis.cut == cut) return axis.degree;
    }
    return 1;
  }

  bool is_in_order() const {
    const auto& mesh = current_.mesh;
    return std::adjacent_find(mesh.begin(), mesh.end(),
                              [](const MeshAxis& outer, const MeshAxis& inner) {
                                return place_in_order(outer.cut) >= place_in_order(inner.cut);
                              }) == mesh.end();
  }

  bool has_positions() const {
    return std::any_of(current_.mesh.begin(), current_.mesh.end(),
                       [](const MeshAxis& axis) { return is_of_positions(axis.cut); });
  }

  void visit() const { visit_(current_, refused_.degree > 0 ? &refused_ : nullptr); }

  void emit() {
    const std::int64_t stages = degree_of(Cut::pipeline);
    if (stages == 1) {
      current_.chunks = 1;
      visit();
      return;
    }
    if (current_.micro_batches != 0) {
      visit_chunks(stages);
      return;
    }
    const std::int64_t samples = std::max<std::int64_t>(1, batch_ / degree_of(Cut::sample));
    for (const std::int64_t count : micro_batches(stages, samples)) {
      current_.micro_batches = count;
      visit_chunks(stages);
    }
    current_.micro_batches = 0;
  }

  void visit_chunks(std::int64_t ranks) {
    const PipelineSchedule own = current_.schedule;
    const bool several = current_.micro_batches % ranks == 0 &&
                         (current_.schedule == PipelineSchedule::one_f_one_b ||
                          current_.schedule == PipelineSchedule::zb_h1);
    // Down to a stage for each block, where all ranks have as many.
    const std::int64_t most = options_.most_stages / ranks;
    const std::int64_t finest = options_.most_stages % ranks == 0 ? most : 0;
    std::vector<std::int64_t> tried = chunks_;
    if (tried.size() > 1) {
      for (const std::int64_t chunks : {finest / 2, finest}) {
        if (chunks > tried.back() && finest % chunks == 0) tried.push_back(chunks);
      }
    }
    for (const std::int64_t chunks : tried) {
      if (chunks > 1 && tried.size() > 1 && (chunks > most || !several)) continue;
      current_.chunks = chunks;
      visit();
      if (chunks == 1 || !options_.parts_backward) continue;
      if (own != PipelineSchedule::one_f_one_b) continue;
      current_.schedule = PipelineSchedule::zb_h1;
      visit();
      current_.schedule = own;
    }
  }

  std::int64_t batch_;
  const SpaceOptions& options_;
  const RefusesAxis& refuses_;
  const Visit& visit_;
  std::vector<std::int64_t> divisors_;  ///< ascending
  std::vector<std::int64_t> chunks_;    ///< of a pipeline
  Strategy current_;
  MeshAxis refused_{0};  ///< of the mesh under way; of degree 0 where none is
};

std::int64_t blocks_of(const Graph& graph) {
  const auto most = std::max_element(graph.blocks.begin(), graph.blocks.end());
  return most == graph.blocks.end() ? 0 : *most;
}

/// Lets a text try what saves memory.
void try_savings(const Graph& graph, SpaceOptions& options) {
  if (!options.is_fixed("micro_batches")) options.most_micro_batches = kMostMicroBatches;
  if (!options.is_fixed("zero")) options.most_zero = 3;
  if (!has_blocks(graph) || options.is_fixed("recompute")) return;
  for (const std::string_view what : {"selective", "full"}) {
    if (!recomputation(graph, what).segments.empty()) options.recompute.push_back(what);
  }
}

constexpr double kMebibyte = 1024.0 * 1024;
constexpr int kLargestTunedBucket = 256;  // MiB

template <typename T>
std::vector<T> or_own(const std::vector<T>& given, T own) {
  if (given.empty()) return {own};
  return given;
}

}  // namespace

void tune(const Device& device, const Framework& framework, SpaceOptions& options) {
  options.buckets.clear();
  for (int size = 1; size <= kLargestTunedBucket; size *= 2) {
    options.buckets.push_back(Bytes{size * kMebibyte});
  }
  options.exchanges = {"auto"};
  for (const Algorithm& row : all_algorithms()) {
    if (row.serves != Collective::all_reduce) continue;
    if (is_offered(row, device, framework)) options.exchanges.push_back(row.name);
  }
  options.overlaps = {true, false};
  options.schedules = {PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe};
  options.parts_backward = has_switch(framework, "schedule=zb_h1");
  if (!has_switch(framework, "bucket")) options.buckets.clear();
  if (!has_switch(framework, "exchange")) options.exchanges.clear();
  if (!has_switch(framework, "overlap")) options.overlaps.clear();
  if (!has_switch(framework, "schedule")) options.schedules.clear();
}

std::vector<Variant> variants_of(const Strategy& strategy, const Strategy& base,
                                 const SpaceOptions& options) {
  const Variant own = variant_of(base);
  const auto buckets = or_own(options.buckets, own.bucket);
  const auto overlaps = or_own(options.overlaps, own.overlap);
  const auto exchanges = or_own(options.exchanges, own.exchange);
  const bool orders = strategy.has(Cut::pipeline) && strategy.chunks == 1 &&
                      !parts_backward(own.schedule) && !strategy.expert_overlap;
  const auto schedules =
      orders ? or_own(options.schedules, own.schedule) : std::vector{own.schedule};
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
  std::erase_if(space.cuts, [&](Cut cut) { return !finds_parts(graph, cut); });
  const bool text = finds_parts(graph, Cut::context);
  if (text) {
    if (!options.is_fixed("chunks")) space.chunks = {1, 2, 4};
    space.most_stages = blocks_of(graph);
    space.most_in_order = 4;
    try_savings(graph, space);
  }
  // Of a text's products, filter and channel in turn send the least of the three.
  const bool in_turn =
      std::find(space.cuts.begin(), space.cuts.end(), Cut::alternate) != space.cuts.end();
  if (text && in_turn) {
    std::erase_if(space.cuts, [](Cut cut) { return cut == Cut::filter || cut == Cut::channel; });
  }
  return space.cuts.empty() ? options : space;
}

void for_each_strategy(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                       const SpaceOptions& options, const RefusesAxis& refuses,
                       const std::function<void(const Strategy&, const MeshAxis*)>& visit) {
  Enumerator(ranks, batch, base, options, refuses, visit).extend(ranks);
}

std::vector<Strategy> strategy_space(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                                     const SpaceOptions& options) {
  std::vector<Strategy> space;
  for_each_strategy(ranks, batch, base, options, {},
                    [&](const Strategy& strategy, const MeshAxis*) { space.push_back(strategy); });
  return space;
}

}  // namespace oracle
