#include "oracle/evaluate/changes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/cost/collectives/algorithm.h"

namespace oracle {
namespace {

/// Collects copies of a strategy with one setting changed.
class Changes {
 public:
  explicit Changes(const Strategy& base) : base_(base) {}

  template <typename Set>
  void add(std::string text, const Set& set) {
    Strategy changed = base_;
    set(changed);
    if (changed != base_) list_.push_back({std::move(text), std::move(changed)});
  }

  std::vector<ChangedStrategy> take() { return std::move(list_); }

 private:
  const Strategy& base_;
  std::vector<ChangedStrategy> list_;
};

void add_exchanges(Changes& changes) {
  const auto add = [&](std::string_view name) {
    changes.add("exchange=" + std::string(name),
                [&](Strategy& strategy) { strategy.exchange = name; });
  };
  add("auto");
  for (const Algorithm& row : all_algorithms()) {
    if (row.serves == Collective::all_reduce) add(row.name);
  }
}

void add_batch_norm(Changes& changes) {
  constexpr std::array<std::pair<std::string_view, BatchNormMode>, 3> kModes = {
      {{"per_replica", BatchNormMode::per_replica},
       {"synchronized", BatchNormMode::synchronized},
       {"local", BatchNormMode::local}}};
  for (const auto& [name, mode] : kModes) {
    changes.add("batch_norm=" + std::string(name),
                [value = mode](Strategy& strategy) { strategy.batch_norm = value; });
  }
}

void add_pipeline(const Strategy& base, Changes& changes) {
  for (const std::int64_t count : {base.micro_batches / 2, base.micro_batches * 2}) {
    if (count < 1) continue;
    changes.add("micro_batches=" + std::to_string(count),
                [count](Strategy& strategy) { strategy.micro_batches = count; });
  }
  changes.add("schedule=gpipe",
              [](Strategy& strategy) { strategy.schedule = PipelineSchedule::gpipe; });
  changes.add("schedule=1f1b",
              [](Strategy& strategy) { strategy.schedule = PipelineSchedule::one_f_one_b; });
}

}  // namespace

std::vector<ChangedStrategy> changes_of(const Graph& graph, const Strategy& strategy) {
  Changes changes(strategy);
  changes.add(strategy.overlap ? "overlap=off" : "overlap=on",
              [](Strategy& changed) { changed.overlap = !changed.overlap; });
  for (const double factor : {0.5, 2.0}) {
    const Bytes bucket = strategy.bucket * factor;
    changes.add("bucket=" + to_binary_text(bucket),
                [bucket](Strategy& changed) { changed.bucket = bucket; });
  }
  add_exchanges(changes);
  if (std::any_of(graph.layers.begin(), graph.layers.end(),
                  [](const Layer& layer) { return layer.batch_statistics; })) {
    add_batch_norm(changes);
  }
  if (strategy.has(Cut::pipeline)) add_pipeline(strategy, changes);
  return changes.take();
}

}  // namespace oracle
