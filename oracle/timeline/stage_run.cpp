#include "oracle/timeline/stage_run.h"

#include <algorithm>

namespace oracle {
namespace {

/// Of sums of times.
constexpr double kRounding = 1e-12;

std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }

/// Whether it goes on while computing does, and ends when it would whatever computing loses.
bool runs_beside(Stream stream) { return stream == Stream::exchange || stream == Stream::to_host; }

/// Whether what an item of `stream` needs ends later by what was stolen from computing since: what
/// computes does, and what comes for it. An exchange ends when it did.
bool ends_later(Stream need, Stream stream) {
  if (runs_beside(stream) || stream == Stream::from_host) return !runs_beside(need);
  return need == Stream::from_host;
}

template <typename Value>
Value at_or_none(const std::vector<Value>& values, std::uint32_t index) {
  return index < values.size() ? values[index] : Value{};
}

}  // namespace

Stream stream_of(const Item& item) {
  if (std::holds_alternative<Work>(item.what)) return Stream::compute;
  if (std::holds_alternative<Compression>(item.what)) return Stream::exchange;
  const auto& transfer = std::get<Transfer>(item.what);
  if (transfer.collective == Collective::ring_pass) return Stream::ring;
  if (transfer.collective == Collective::to_host) return Stream::to_host;
  if (transfer.collective == Collective::from_host) return Stream::from_host;
  const bool exchange = is_of_weights(transfer) || item.phase == Phase::exchange;
  return exchange ? Stream::exchange : Stream::communication;
}

std::vector<Seconds> StageRun::exposed() const {
  std::vector<Seconds> exposed(finish.size());
  for (const Wait& wait : waits) exposed[wait.cause] += wait.time;
  return exposed;
}

Seconds StageRun::slowed_before(Seconds time) const {
  Seconds lost;
  for (const Slowing& slowing : slowings) {
    if (slowing.from >= time) break;
    const double part = (std::min(time, slowing.to) - slowing.from) / (slowing.to - slowing.from);
    lost += slowing.lost * part;
  }
  return lost;
}

Seconds StageRun::lost_before(std::uint32_t item, Seconds time) const {
  Seconds lost = slowed_before(time);
  for (const Copying& copying : copyings) {
    if (copying.after < item) lost += copying.time;
  }
  return lost;
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
  run_.stolen.resize(mark.items);
  chain_.resize(mark.items);
  run_.waits.resize(mark.waits);
  run_.slowings.resize(mark.slowings);
  run_.copyings.resize(mark.copyings);
  transfers_.resize(mark.transfers);
  turns_.resize(mark.turns);
  over_ = 0;
}

void StageRunner::reserve(std::size_t items) {
  const std::size_t all = run_.finish.size() + items;
  run_.start.reserve(all);
  run_.finish.reserve(all);
  run_.stolen.reserve(all);
  chain_.reserve(all);
  turns_.reserve(turns_.size() + items);
  // One for each item and each of its copies, and one more of each transfer for each exchange
  // beside it.
  run_.waits.reserve(run_.waits.size() + 4 * items + transfers_.size());
  run_.copyings.reserve(run_.copyings.size() + 2 * items);
  // And of the computing between them.
  run_.slowings.reserve(run_.slowings.size() + 2 * (items + transfers_.size()));
}

void StageRunner::run_to(std::uint32_t end, const Stage& stage, const StagePrices& prices,
                         const Overlap& overlap) {
  const auto begin = first_ + static_cast<std::uint32_t>(run_.finish.size());
  for (std::uint32_t index = begin; index < end; ++index) {
    const ItemPrice price{prices.waited_for(index), at_or_none(prices.copied, index),
                          at_or_none(prices.beside, index), at_or_none(prices.levels, index)};
    step(stage.items[index], stage, price, overlap);
  }
}

void StageRunner::step(const Item& item, const Stage& stage, const ItemPrice& price,
                       const Overlap& overlap) {
  const Stream stream = stream_of(item);
  Seconds ready, chain;
  std::uint32_t latest = kNoItem;
  for (const std::uint32_t need : stage.needs_of(item)) {
    if (need < first_) continue;
    const std::uint32_t n = need - first_;
    chain = std::max(chain, chain_[n]);
    const bool later = ends_later(stream_of(stage.items[need]), stream);
    const Seconds done = later ? run_.finish[n] + (stolen_ - run_.stolen[n]) : run_.finish[n];
    if (done <= ready) continue;
    ready = done;
    latest = n;
  }
  Seconds& free = free_[index_of(stream)];
  if (stream == Stream::compute && ready > free && latest != kNoItem) {
    charge(latest, stage, ready - free);
  }
  const Seconds computed = free_[index_of(Stream::compute)];
  const auto own = static_cast<std::uint32_t>(run_.finish.size());
  Seconds begin = std::max(free, ready);
  Seconds time = price.time;
  if (stream == Stream::exchange) time = exchange(begin, stage, price, overlap);
  if (stream == Stream::communication) {
    begin = std::max(begin, computed);
    transfers_.push_back({own, price.level, begin - stolen_, begin + time - stolen_});
    charge(own, stage, begin + time - computed);
    free_[index_of(Stream::compute)] = begin + time;
  }
  free = begin + time;
  const bool in_turn = stream == Stream::compute || stream == Stream::communication;
  if (in_turn) turns_.push_back({free - stolen_, own});
  run_.start.push_back(begin);
  run_.stolen.push_back(stolen_);
  run_.finish.push_back(free);
  chain_.push_back(chain + price.time);
  run_.critical_path = std::max(run_.critical_path, chain + price.time);
  run_.length = std::max(run_.length, free);
  run_.occupied[index_of(stream)] += time + price.beside;
  if (stream == Stream::compute) run_.busy[static_cast<std::size_t>(item.phase)] += time;
}

/// How long an exchange takes that begins then.
Seconds StageRunner::exchange(Seconds begin, const Stage& stage, const ItemPrice& price,
                              const Overlap& overlap) {
  if (price.copied == price.time) return copy(begin, price.copied, stage) - begin;
  const Seconds copies = price.copied / 2;
  const Seconds moving = price.time - price.copied;
  const Seconds sent = copy(begin, copies, stage);
  const Seconds beside = moving + lost_beside(stage, sent, moving, price.level, overlap);
  if (copies <= Seconds{}) return beside;  // which its end, less its beginning, would round
  return copy(sent + beside, copies, stage) - begin;
}

/// When the copies of the exchange under way are made that are due then: whoever computes makes
/// them between two kernels.
Seconds StageRunner::copy(Seconds due, Seconds time, const Stage& stage) {
  if (time <= Seconds{}) return due;
  const Seconds at = due - stolen_;
  auto turn = std::upper_bound(turns_.begin(), turns_.end(), at * (1 + kRounding),
                               [](Seconds t, const Turn& one) { return t < one.end; });
  if (turn != turns_.begin() && std::prev(turn)->end >= at * (1 - kRounding)) {
    --turn;
  } else if (turn != turns_.end()) {
    due = turn->end + stolen_;
  }
  if (turn == turns_.end() || due >= free_[index_of(Stream::compute)]) return due + time;
  run_.copyings.push_back({turn->item, time});
  charge(static_cast<std::uint32_t>(run_.finish.size()), stage, time);
  delay_computing(time);
  return due + time;
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

void StageRunner::lengthen(const Slowing& slowing) {
  delay_computing(slowing.lost);
  run_.slowings.push_back(slowing);
}

/// Compute ends later, and what comes for backward as computing goes on.
void StageRunner::delay_computing(Seconds lost) {
  Seconds& end = free_[index_of(Stream::compute)];
  end += lost;
  free_[index_of(Stream::from_host)] += lost;
  run_.length = std::max(run_.length, end);
  stolen_ += lost;
}

/// Compute waited for item `cause`.
void StageRunner::charge(std::uint32_t cause, const Stage& stage, Seconds wait) {
  run_.waits.push_back({cause, wait});
  const auto* transfer = std::get_if<Transfer>(&stage.items[first_ + cause].what);
  const bool gradient = stream_of(stage.items[first_ + cause]) == Stream::exchange ||
                        (transfer != nullptr && is_of_weights(*transfer));
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
