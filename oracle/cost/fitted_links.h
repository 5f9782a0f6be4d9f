#pragma once
// What does a measured link change about a placed group?
//
// A profile may hold, per level of the cluster, a piecewise α-β fit of one message alone. For a
// message of given size its piece replaces the level's data sheet: the latency as measured, all
// bandwidths scaled by measured / what one message could take, so that sharing and rails stay as
// the placement has them. Where k concurrent flows were measured to get `together` times what one
// gets, that is what an uplink has to share:
//
//   flow = min(alone, B·together/k)
//
// A profile may also hold fits of a collective across a level, in terms of the messages of its
// algorithm (profile.h): of groups of as many ranks, or else of any. That fit then stands for all
// links which the group crosses; of several groups each has what was measured as long as it is no
// more than one rail and there are as many.
//
// An all-to-all of n ranks with u > 1 of them in a unit (LinkFit::per_unit) is fitted in n-1
// messages of each rank, though but n-u cross the level, u at a time across each uplink: an uplink
// gives B·u·(n-u)/(n-1), and what stays in the units goes beside it. So it holds for groups of any
// shape.
//
// Messages shorter or longer than any measured are outside of the fit: their price is assumed, at
// twice its uncertainty. But up to eight times as long as the longest they are told by its
// bandwidth, where latency was a fifth of its time at most.
//
// Worked: a level of 12.5 GB/s shared by two groups (6.25 GB/s each), measured at 10 GB/s: 5 GB/s
// for each; 8 GB/s where two together got 1.6 times as much tests/cost/fitted_links_test.cpp

#include <array>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/placement.h"
#include "oracle/cluster/profile.h"
#include "oracle/plan/layout/layout.h"

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

  /// The fit of that collective across the level that joins all of `group`, or nullptr. Of as many
  /// ranks where there is one, and of those of one with as many in a unit.
  const LinkFit* collective(Collective collective, const Group& group) const;

  /// Puts what was measured for messages of `message` bytes into `group`: of a collective, or of
  /// the levels one by one.
  void apply(Group& group, Bytes message, const LinkFit* collective = nullptr) const;

  /// Fitted where the collective, or else every level that joins members of `group`, is, with the
  /// largest residual.
  Evidence evidence(const Group& group, Bytes message, const LinkFit* collective = nullptr) const;

 private:
  /// Of one collective across one level. Groups of one more size than there is room for take the
  /// fit of any.
  struct SizedFits {
    const LinkFit* of_any = nullptr;
    std::array<const LinkFit*, 8> of_size{};
    std::size_t sizes = 0;

    void add(const LinkFit& fit);
    const LinkFit* of(std::int64_t ranks, std::int64_t per_unit) const;
  };

  void apply_messages(Group& group, Bytes message) const;

  std::array<const LinkFit*, kMaxLevels> fits_{};
  std::array<std::array<SizedFits, kCollectiveCount>, kMaxLevels> collectives_{};
  bool empty_ = true;
};

}  // namespace oracle
