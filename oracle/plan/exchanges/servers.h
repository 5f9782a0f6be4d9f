#pragma once
// Which items exchange a bucket of gradients through parameter servers?
//
// Of P ranks that hold the same weights, S are servers of a part of them each, beside their own
// samples: Li et al., "Scaling Distributed Machine Learning with the Parameter Server", OSDI 2014.
// The items are the steps between layouts:
//
//   gradients   partial over P → sharded over S      push    (P−1)·n/S values into each server
//   sums        sharded over S                       reduce  3(P−1)·n/S values read and written
//   weights     sharded over S, updated there        update  n/S values
//   weights     sharded over S → replicated          pull    (P−1)·n/S values out of each server
//
// Servers that do not wait (Strategy::staleness) take gradients one by one: a server updates its
// part with each, P times a step, and copies it for the rank that fetches it.
//
//   gradients   partial, one rank's → sharded over S   push    as that rank comes
//   weights     sharded over S                         reduce  copies of n/S values for P−1 ranks
//                                                      update  n/S values, P times
//   weights     sharded over S → one rank's            pull    as that rank comes
//
// With servers that wait it is synchronous training whatever S is. Servers lie evenly among the
// ranks. The busiest link is a server's, 2(P−1)/S·n values in and out, which is least where each
// rank is a server.
//
// Worked: 1000 fp32 values, 4 ranks, 2 servers: parts of 500; a rank that is no server pushes 4000
// bytes, and a server sends 3·2000 back         tests/plan/exchanges/servers_test.cpp

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "oracle/plan/plan.h"

namespace oracle {

/// A number of servers above 0. Throws QuantityError.
double read_servers(std::string_view text);

/// The place among `ranks` members of server `number` of `servers`.
/// Worked: 2 servers of 4 ranks are members 0 and 2.
inline std::int64_t place_of_server(std::int64_t number, std::int64_t servers, std::int64_t ranks) {
  return number * ranks / servers;
}

class ServedBucket {
 public:
  /// `sum`: the all-reduce of the bucket as it is, of values of `value_bytes`, over `ranks` ranks.
  /// No more of them than there are serve it.
  /// `apart`: they do not wait.
  ServedBucket(std::int64_t servers, const Transfer& sum, int value_bytes, std::int64_t ranks,
               bool apart = false);

  /// Of the gradients, each needs the one before it.
  std::span<const Action> steps() const { return steps_; }
  /// Of the weights, once they are updated.
  const Transfer& pull() const { return pull_; }

 private:
  std::array<Action, 2> steps_;
  Transfer pull_;
};

}  // namespace oracle
