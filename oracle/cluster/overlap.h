#pragma once
// What do computing and an exchange of gradients cost each other while both run?
//
// Each takes 1 + its slowdown times as long meanwhile. Two threads that take turns on one core have
// 1 and 1; where the core gives computing three quarters of its time, 1/3 and 3.
//
// Worked: in 4 s of such a core 3 s of computing are done and 1 s of an exchange: computing is done
// 3 times as fast as the exchange                                 tests/cluster/overlap_test.cpp

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

  bool any() const { return computing > 0 || exchange > 0; }
  bool operator==(const Overlap&) const = default;
};

}  // namespace oracle
