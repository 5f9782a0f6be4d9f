#pragma once
// What do computing and an exchange of gradients cost each other while both run?
//
// Each takes 1 + its slowdown times as long meanwhile. Two threads that take turns on one core have
// 1 and 1; where the core gives computing three quarters of its time, 1/3 and 3.
//
// Where r ranks share a core, their exchanges want a share of it together, and get that from the m
// of them that compute, but no more than their r threads' even part:
//
//   demand = c/(1 + c)·(1 + e)     for slowdowns c of computing and e of the exchange
//   used   = min(demand, r/(r + m))     c' = used/(1 - used)     e' = demand/used - 1
//
// The demand is what is done, however the core is divided, and so can be measured beside any
// computing. How it is divided cannot: beside small products out of the nearest cache exchanges of
// two ranks a core at 1 Gbit/s get 0.35 of 0.64 that they want; in training kernels take as long as
// if they got 0.48 (four hosts on two cores of a Xeon, 2026-11-25; on an EPYC a third and a half).
//
// Worked: in 4 s of such a core 3 s of computing are done and 1 s of an exchange: computing is done
// 3 times as fast as the exchange. Two ranks a core, slowdowns 1/2 and 4/5: their exchanges want
// 0.6 of it and get half, so that computing takes twice as long, and they 1.2 times; from one that
// computes alone they get all they want, and it takes 2.5 times as long; one that does so half the
// time, 2.25 times                                                tests/cluster/overlap_test.cpp

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

  /// Of so many of `ranks` on a core that compute.
  Overlap beside(double computing_ranks, double ranks) const {
    const double used = std::min(demand(), ranks / (ranks + computing_ranks));
    if (used <= 0) return *this;
    return {used / (1 - used), std::max(0.0, demand() / used - 1)};
  }

  /// Of `ranks` on a core, of which one computes alone for that share of its time.
  Overlap on_shared_core(double alone, double ranks) const {
    const Overlap all = beside(ranks, ranks), one = beside(1, ranks);
    const double pace = (1 - alone) / (1 + all.exchange) + alone / (1 + one.exchange);
    return {(1 - alone) * all.computing + alone * one.computing, 1 / pace - 1};
  }

  bool any() const { return computing > 0 || exchange > 0; }
  bool operator==(const Overlap&) const = default;
};

}  // namespace oracle
