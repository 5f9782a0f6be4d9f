#pragma once
// What do computing and an exchange of gradients cost each other while both run?
//
// Each takes 1 + its slowdown times as long meanwhile. Two threads that take turns on one core have
// 1 and 1; where the core gives computing three quarters of its time, 1/3 and 3.
//
// Where r ranks share a core and all compute, their exchanges leave off some of their own pace. At
// that pace they want a share of the core, and get it from a rank that computes while the others
// wait, but no more than their r threads' even part:
//
//   demand = c/(1 + c)·(1 + e)     for slowdowns c of computing and e of the exchange
//   used   = min(demand, r/(1 + r))     c' = used/(1 - used)     e' = demand/used - 1
//
// Worked: in 4 s of such a core 3 s of computing are done and 1 s of an exchange: computing is done
// 3 times as fast as the exchange. Two ranks a core, both slowdowns 1/2: their exchanges take a
// third of it, and half at their own pace, which makes one that computes alone take twice as long;
// one that does so half the time, 1.75 times                     tests/cluster/overlap_test.cpp

#include <algorithm>

namespace oracle {

struct Overlap {
  double computing = 0;  ///< its slowdown
  double exchange = 0;   ///< its slowdown

  static constexpr Overlap alike(double slowdown) { return {slowdown, slowdown}; }

  /// Seconds of computing that are done while one second of the exchange is.
  double pace() const { return (1 + exchange) / (1 + computing); }

  /// What the exchange loses beside one second of computing, alone.
  double lost_by_exchange() const { return 1 + computing - 1 / pace(); }

  /// Of the exchange and a message that computing waits for: what is done in a second is as much,
  /// and halved.
  double between_messages() const { return 2 / (1 / (1 + computing) + 1 / (1 + exchange)) - 1; }

  /// Share of a core that its ranks' exchanges want together, at their own pace.
  double demand() const { return computing / (1 + computing) * (1 + exchange); }

  /// Of one of `ranks` on a core that computes while the others wait.
  Overlap of_one(double ranks) const {
    const double used = std::min(demand(), ranks / (1 + ranks));
    if (used <= 0) return *this;
    return {used / (1 - used), std::max(0.0, demand() / used - 1)};
  }

  /// Of `ranks` on a core, of which one computes alone for that share of its time.
  Overlap with_alone(double share, double ranks) const {
    const Overlap one = of_one(ranks);
    const double pace = (1 - share) / (1 + exchange) + share / (1 + one.exchange);
    return {(1 - share) * computing + share * one.computing, 1 / pace - 1};
  }

  bool any() const { return computing > 0 || exchange > 0; }
  bool operator==(const Overlap&) const = default;
};

}  // namespace oracle
