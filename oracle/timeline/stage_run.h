#pragma once
// How long do a stage's items take when each stream runs its own in order?
//
// start(i) = max(end of the previous item on i's stream, end of every item i needs). The wait of
// the compute stream is charged to the item whose end it waited for. A layer's transfer begins when
// all computing before it in the program is over, and computing goes on when the transfer is.
//
// An exchange beside computing: for as long as both run, each takes 1 + its slowdown times as long
// (cluster/overlap.h). What is computed meanwhile takes so much longer, and what later exchanges
// need comes so much later. Where both are slowed alike, of an exchange of t with compute busy for
// another r, both lose slowdown·min(t, r).
//
// Worked: an exchange of 3 beside 1 of computing at a slowdown of 0.5 ends after 3.5, computing
// after 1.5. At 1, as of two threads on one core, exchange and computing take turns. At 1/3 and 3,
// where that core computes for three quarters of the time, computing ends after 1.33, and the
// exchange, of which 0.33 are done by then, after 4.
//
// What is copied for an exchange, half of it before and half after, is copied by whoever computes,
// between two kernels: when it is over is noticed after the kernel or the transfer under way, and
// computing goes on as much later, which is charged to the exchange.
//
// Worked: an exchange of 4 of which 2 are copies begins at 1, beside kernels of 3 each that end at
// 10: computing goes on at 2, the exchange is over at 4 and noticed at 5, and computing, which went
// on at 6, ends at 12.
//
// Between an exchange and a transfer of a layer, for which computing waits, the core is divided
// evenly; where the two cross the same links they share them, and each takes twice as long.
// Computing goes on as much later, which is charged to the transfer.
//
// Worked: compute waits from 1 to 3 for a transfer; an exchange of 4 across the same links that
// begins at 2 ends at 7, and compute goes on at 4.
//
// What comes from the host for backward comes later by what computing loses; what goes there ends
// when it would.
//
// Worked: a copy of 6 begins at 1, and computing loses 2 beside it: the next copy begins at 9.
//
// What has run can be gone back to: of many ways to go on, each costs only its own items.
//                                                                tests/timeline/stage_run_test.cpp

#include <array>
#include <vector>

#include "oracle/timeline/timeline.h"

namespace oracle {

/// Stream an item runs on.
Stream stream_of(const Item& item);

/// What a range of items comes to.
struct RunTotals {
  Seconds length;                                ///< the last stream's end
  std::array<Seconds, kStreamCount> occupied{};  ///< busy time of each stream
  Seconds waited_activation;                ///< compute idle, waiting for activation communication
  Seconds waited_gradient;                  ///< compute idle, waiting for gradient exchange
  std::array<Seconds, kPhaseCount> busy{};  ///< compute stream, by phase
  /// Longest chain of dependent items: every stream as wide as it needs to be.
  Seconds critical_path;
};

/// Compute's wait for the end of one item.
struct Wait {
  std::uint32_t cause = 0;  ///< counted from the first of the range
  Seconds time;
};

/// A layer's transfer that has run.
struct LayerTransfer {
  std::uint32_t item = 0;  ///< counted from the first of the range
  std::uint8_t level = 0;  ///< StagePrices::levels
  Seconds start, finish;
};

/// What the compute stream did in [from, to) of a backward that loses nothing took longer, beside
/// an exchange.
struct Slowing {
  Seconds from, to, lost;
};

/// What it copied for an exchange between two kernels, or a kernel and a transfer.
struct Copying {
  std::uint32_t after = 0;  ///< the item before, counted from the first of the range
  Seconds time;
};

/// Items [first, end) of a stage run from time 0; needs before `first` are complete.
struct StageRun : RunTotals {
  std::vector<Seconds> start, finish;  ///< per item of the range
  std::vector<Seconds> stolen;         ///< by exchanges before it, per item: in `start`, `finish`
  std::vector<Wait> waits;
  std::vector<Slowing> slowings;  ///< one after the other
  std::vector<Copying> copyings;  ///< one after the other

  /// What computing took longer before a time of a backward that loses nothing.
  Seconds slowed_before(Seconds time) const;
  /// An item's times of a backward that loses nothing.
  Seconds clear_start(std::uint32_t item) const { return start[item] - stolen[item]; }
  Seconds clear_finish(std::uint32_t item) const { return finish[item] - stolen[item]; }
  /// When, with all that was lost before, an item of the compute stream begins and ends.
  Seconds begins(std::uint32_t item) const { return with_losses(item, clear_start(item)); }
  Seconds ends(std::uint32_t item) const { return with_losses(item, clear_finish(item)); }
  Seconds with_losses(std::uint32_t item, Seconds time) const {
    return time + lost_before(item, time);
  }
  Seconds lost_before(std::uint32_t item, Seconds time) const;

  /// Per item of the range: compute's waits charged to it.
  std::vector<Seconds> exposed() const;
};

/// Runs items one by one; holds when each stream is free.
class StageRunner {
 public:
  /// Where a run can be taken up again.
  struct Mark {
    RunTotals totals;
    std::array<Seconds, kStreamCount> free{};
    Seconds stolen;
    std::size_t items = 0, waits = 0, slowings = 0, copyings = 0, transfers = 0, turns = 0;
  };

  /// Begins a run at item `first`.
  void start(std::uint32_t first);

  /// Makes room for so many more items.
  void reserve(std::size_t items);

  /// Runs all items from where the run is up to `end`.
  void run_to(std::uint32_t end, const Stage& stage, const StagePrices& prices,
              const Overlap& overlap);

  /// Charges what lasts longer than compute, the last thing to do.
  void settle(const Stage& stage);

  Mark mark() const {
    return {run_,
            free_,
            stolen_,
            run_.finish.size(),
            run_.waits.size(),
            run_.slowings.size(),
            run_.copyings.size(),
            transfers_.size(),
            turns_.size()};
  }
  void go_back(const Mark& mark);

  const StageRun& run() const { return run_; }

 private:
  struct ItemPrice {
    Seconds time, copied;
    Seconds beside;  ///< products, and not in `time`
    std::uint8_t level = 0;
  };
  /// Of what computes, or waits for a transfer: when it is over, if nothing is lost.
  struct Turn {
    Seconds end;
    std::uint32_t item = 0;  ///< counted from the first of the range
  };

  void step(const Item& item, const Stage& stage, const ItemPrice& price, const Overlap& overlap);
  Seconds exchange(Seconds begin, const Stage& stage, const ItemPrice& price,
                   const Overlap& overlap);
  Seconds copy(Seconds due, Seconds time, const Stage& stage);
  Seconds lost_beside(const Stage& stage, Seconds begin, Seconds time, std::uint8_t level,
                      const Overlap& overlap);
  Seconds compute_beside(Seconds from, Seconds to, Seconds& left, const Overlap& overlap);
  void slow_computing(Seconds from, Seconds to, double slowdown);
  Seconds slow_transfer(const LayerTransfer& transfer, const Stage& stage, Seconds from, Seconds to,
                        double slowdown);
  void lengthen(const Slowing& slowing);
  void delay_computing(Seconds lost);
  void charge(std::uint32_t cause, const Stage& stage, Seconds wait);

  std::uint32_t first_ = 0;
  std::vector<Seconds> chain_;
  std::array<Seconds, kStreamCount> free_{};
  Seconds stolen_;  ///< of the compute stream by exchanges
  std::vector<Turn> turns_;
  std::vector<LayerTransfer> transfers_;
  std::size_t over_ = 0;  ///< of these, before every exchange to come
  StageRun run_;
};

/// All of it at once.
StageRun run_items(const Stage& stage, const StagePrices& prices, std::uint32_t first,
                   std::uint32_t end, const Overlap& overlap);

}  // namespace oracle
