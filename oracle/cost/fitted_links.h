#pragma once
// What does a measured link change about a placed group?
//
// A profile may hold, per level of the cluster, a piecewise α-β fit of one message alone. For a
// message of given size its piece replaces the level's data sheet: the latency as measured, all
// bandwidths scaled by measured / what one message could take, so that sharing and rails stay as
// the placement has them.
//
// Worked: a level of 12.5 GB/s shared by two groups (6.25 GB/s each), measured at 10 GB/s: 5 GB/s
// for each                                                     tests/cost/fitted_links_test.cpp

#include <array>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/placement.h"
#include "oracle/cluster/profile.h"

namespace oracle {

/// What the price of a transfer rests on.
struct Evidence {
  Source source = Source::datasheet;
  double uncertainty = 0;
};

/// The fits of a profile by level of a cluster; both must outlive it.
class FittedLinks {
 public:
  FittedLinks(const Cluster& cluster, const Profile& profile);

  bool empty() const { return empty_; }

  /// Puts what was measured for messages of `message` bytes into `group`.
  void apply(Group& group, Bytes message) const;

  /// Fitted where every level that joins members of `group` is, with the largest residual.
  Evidence evidence(const Group& group, Bytes message) const;

 private:
  std::array<const LinkFit*, kMaxLevels> fits_{};
  bool empty_ = true;
};

}  // namespace oracle
