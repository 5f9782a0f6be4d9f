#include "oracle/timeline/stage_run.h"

#include <algorithm>

namespace oracle {
namespace {

std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }

/// Runs items one by one; holds when each stream is free.
class Runner {
 public:
  Runner(const Stage& stage, std::span<const Cost> costs, std::uint32_t first, std::uint32_t end)
      : stage_(stage), costs_(costs), first_(first), chain_(end - first) {
    run_.start.resize(end - first);
    run_.finish.resize(end - first);
    run_.exposed.resize(end - first);
  }

  void step(std::uint32_t index, double slowdown) {
    const Item& item = stage_.items[index];
    const Stream stream = stream_of(item);
    const bool hidden = stream == Stream::exchange && item.phase == Phase::exchange;
    const Seconds time = costs_[index].time * (hidden ? 1 + slowdown : 1);
    Seconds ready, chain;
    std::uint32_t latest = index;
    for (const std::uint32_t need : stage_.needs_of(item)) {
      if (need < first_) continue;
      chain = std::max(chain, chain_[need - first_]);
      if (run_.finish[need - first_] <= ready) continue;
      ready = run_.finish[need - first_];
      latest = need;
    }
    Seconds& free = free_[index_of(stream)];
    if (stream == Stream::compute && ready > free && latest != index) {
      charge(latest, ready - free);
    }
    const Seconds begin = std::max(free, ready);
    free = begin + time;
    run_.start[index - first_] = begin;
    run_.finish[index - first_] = free;
    chain_[index - first_] = chain + time;
    run_.critical_path = std::max(run_.critical_path, chain + time);
    run_.length = std::max(run_.length, free);
    run_.occupied[index_of(stream)] += time;
    if (stream == Stream::compute) run_.busy[static_cast<std::size_t>(item.phase)] += time;
  }

  StageRun finish() {
    charge_tail();
    return std::move(run_);
  }

 private:
  /// Compute waited for item `cause`: a transfer, or the transfer that a wait of its own goes back
  /// to.
  void charge(std::uint32_t cause, Seconds wait) {
    run_.exposed[cause - first_] += wait;
    const bool gradient = stage_.items[cause].phase == Phase::exchange;
    (gradient ? run_.waited_gradient : run_.waited_activation) += wait;
  }

  /// Transfers that end after the last computation lengthen the step too.
  void charge_tail() {
    const Seconds compute_end = free_[index_of(Stream::compute)];
    if (run_.length <= compute_end) return;
    for (std::uint32_t i = 0; i < run_.finish.size(); ++i) {
      if (run_.finish[i] == run_.length) {
        charge(first_ + i, run_.length - compute_end);
        return;
      }
    }
  }

  const Stage& stage_;
  std::span<const Cost> costs_;
  std::uint32_t first_;
  std::vector<Seconds> chain_;
  std::array<Seconds, kStreamCount> free_{};
  StageRun run_;
};

}  // namespace

Stream stream_of(const Item& item) {
  if (std::holds_alternative<Work>(item.what)) return Stream::compute;
  return item.phase == Phase::exchange ? Stream::exchange : Stream::communication;
}

StageRun run_items(const Stage& stage, std::span<const Cost> costs, std::uint32_t first,
                   std::uint32_t end, double slowdown) {
  Runner runner(stage, costs, first, end);
  for (std::uint32_t index = first; index < end; ++index) runner.step(index, slowdown);
  return runner.finish();
}

}  // namespace oracle
