#include "oracle/timeline/stage_run.h"

#include <algorithm>

namespace oracle {
namespace {

std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }

std::uint8_t level_of(const StagePrices& prices, std::uint32_t index) {
  return index < prices.levels.size() ? prices.levels[index] : 0;
}

}  // namespace

Stream stream_of(const Item& item) {
  if (std::holds_alternative<Work>(item.what)) return Stream::compute;
  return item.phase == Phase::exchange ? Stream::exchange : Stream::communication;
}

std::vector<Seconds> StageRun::exposed() const {
  std::vector<Seconds> exposed(finish.size());
  for (const Wait& wait : waits) exposed[wait.cause] += wait.time;
  return exposed;
}

Seconds StageRun::with_losses(Seconds time) const {
  Seconds lost;
  for (const Slowing& slowing : slowings) {
    if (slowing.from >= time) break;
    const double part = (std::min(time, slowing.to) - slowing.from) / (slowing.to - slowing.from);
    lost += slowing.lost * part;
  }
  return time + lost;
}

void StageRunner::start(std::uint32_t first) {
  first_ = first;
  go_back({});
}

void StageRunner::go_back(const Mark& mark) {
  static_cast<RunTotals&>(run_) = mark.totals;
  free_ = mark.free;
  stolen_ = mark.stolen;
  run_.start.resize(mark.items);
  run_.finish.resize(mark.items);
  chain_.resize(mark.items);
  run_.waits.resize(mark.waits);
  run_.slowings.resize(mark.slowings);
  transfers_.resize(mark.transfers);
  over_ = 0;
}

void StageRunner::reserve(std::size_t items) {
  const std::size_t all = run_.finish.size() + items;
  run_.start.reserve(all);
  run_.finish.reserve(all);
  chain_.reserve(all);
  // One for each item, and one more of each transfer for each exchange beside it.
  run_.waits.reserve(run_.waits.size() + 2 * items + transfers_.size());
  // And of the computing between them.
  run_.slowings.reserve(run_.slowings.size() + 2 * (items + transfers_.size()));
}

void StageRunner::run_to(std::uint32_t end, const Stage& stage, const StagePrices& prices,
                         const Overlap& overlap) {
  const auto begin = first_ + static_cast<std::uint32_t>(run_.finish.size());
  for (std::uint32_t index = begin; index < end; ++index) {
    step(stage.items[index], stage, prices.items[index], level_of(prices, index), overlap);
  }
}

void StageRunner::step(const Item& item, const Stage& stage, const Cost& cost, std::uint8_t level,
                       const Overlap& overlap) {
  const Stream stream = stream_of(item);
  Seconds ready, chain;
  std::uint32_t latest = kNoItem;
  for (const std::uint32_t need : stage.needs_of(item)) {
    if (need < first_) continue;
    const std::uint32_t n = need - first_;
    chain = std::max(chain, chain_[n]);
    if (run_.finish[n] <= ready) continue;
    ready = run_.finish[n];
    latest = n;
  }
  if (stream == Stream::exchange) ready += stolen_;
  Seconds& free = free_[index_of(stream)];
  if (stream == Stream::compute && ready > free && latest != kNoItem) {
    charge(latest, stage, ready - free);
  }
  const Seconds computed = free_[index_of(Stream::compute)];
  const auto own = static_cast<std::uint32_t>(run_.finish.size());
  Seconds begin = std::max(free, ready);
  Seconds time = cost.time;
  if (stream == Stream::exchange) time += lost_beside(stage, begin, time, level, overlap);
  if (stream == Stream::communication) {
    begin = std::max(begin, computed);
    transfers_.push_back({own, level, begin, begin + time});
    charge(own, stage, begin + time - computed);
    free_[index_of(Stream::compute)] = begin + time;
  }
  free = begin + time;
  run_.start.push_back(begin);
  run_.finish.push_back(free);
  chain_.push_back(chain + cost.time);
  run_.critical_path = std::max(run_.critical_path, chain + cost.time);
  run_.length = std::max(run_.length, free);
  run_.occupied[index_of(stream)] += time;
  if (stream == Stream::compute) run_.busy[static_cast<std::size_t>(item.phase)] += time;
}

/// What an exchange of `left` loses to what runs beside it: computing, and transfers of layers.
/// They lose, too.
Seconds StageRunner::lost_beside(const Stage& stage, Seconds begin, Seconds left,
                                 std::uint8_t level, const Overlap& overlap) {
  // By the clock of a backward that loses nothing.
  Seconds at = begin - stolen_, lost;
  const Seconds end = free_[index_of(Stream::compute)] - stolen_;
  while (over_ < transfers_.size() && transfers_[over_].finish <= at) ++over_;
  for (std::size_t i = over_; i < transfers_.size() && transfers_[i].start < end; ++i) {
    const LayerTransfer& transfer = transfers_[i];
    lost += compute_beside(at, transfer.start, left, overlap);
    if (left <= Seconds{}) return lost;
    at = std::max(at, transfer.start);
    const Seconds until = std::min({end, transfer.finish, at + left});
    const bool shared = level != 0 && transfer.level == level;
    lost += slow_transfer(transfer, stage, at, until, shared ? 1 : overlap.between_messages());
    left -= until - at;
    at = until;
  }
  return lost + compute_beside(at, end, left, overlap);
}

/// What an exchange loses of which `left` is to be done, to what is computed between two times.
Seconds StageRunner::compute_beside(Seconds from, Seconds to, Seconds& left,
                                    const Overlap& overlap) {
  if (to <= from || left <= Seconds{}) return {};
  const Seconds needed = left * overlap.pace();
  const Seconds computed = std::min(to - from, needed);
  left = computed < needed ? left - computed / overlap.pace() : Seconds{};
  slow_computing(from, from + computed, overlap.computing);
  return computed * overlap.lost_by_exchange();
}

/// What is computed between two times takes longer.
void StageRunner::slow_computing(Seconds from, Seconds to, double slowdown) {
  const Seconds lost = slowdown * (to - from);
  if (lost <= Seconds{}) return;
  lengthen({from, to, lost});
  run_.occupied[index_of(Stream::compute)] += lost;
  run_.busy[static_cast<std::size_t>(Phase::backward)] += lost;
}

/// Compute waits longer for a layer's transfer.
Seconds StageRunner::slow_transfer(const LayerTransfer& transfer, const Stage& stage, Seconds from,
                                   Seconds to, double slowdown) {
  const Seconds lost = slowdown * (to - from);
  if (lost <= Seconds{}) return {};
  lengthen({from, to, lost});
  run_.occupied[index_of(Stream::communication)] += lost;
  charge(transfer.item, stage, lost);
  return lost;
}

/// Compute ends later.
void StageRunner::lengthen(const Slowing& slowing) {
  Seconds& end = free_[index_of(Stream::compute)];
  end += slowing.lost;
  run_.length = std::max(run_.length, end);
  stolen_ += slowing.lost;
  run_.slowings.push_back(slowing);
}

/// Compute waited for item `cause`.
void StageRunner::charge(std::uint32_t cause, const Stage& stage, Seconds wait) {
  run_.waits.push_back({cause, wait});
  const bool gradient = stage.items[first_ + cause].phase == Phase::exchange;
  (gradient ? run_.waited_gradient : run_.waited_activation) += wait;
}

void StageRunner::settle(const Stage& stage) {
  const Seconds compute_end = free_[index_of(Stream::compute)];
  if (run_.length <= compute_end) return;
  const auto last = std::find(run_.finish.begin(), run_.finish.end(), run_.length);
  charge(static_cast<std::uint32_t>(last - run_.finish.begin()), stage, run_.length - compute_end);
}

StageRun run_items(const Stage& stage, const StagePrices& prices, std::uint32_t first,
                   std::uint32_t end, const Overlap& overlap) {
  StageRunner runner;
  runner.start(first);
  runner.run_to(end, stage, prices, overlap);
  runner.settle(stage);
  return runner.run();
}

}  // namespace oracle
