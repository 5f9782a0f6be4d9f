#pragma once
// How are the many transfers of one plan priced without placing the same groups again and again?
//
// A plan has hundreds of transfers over a handful of groups: each distinct group is placed once.
//                                                                      tests/cost/price_test.cpp

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/cost/collectives/nccl.h"
#include "oracle/cost/fitted_links.h"
#include "oracle/cost/price.h"

namespace oracle {

/// Prices the transfers of one plan; plan, cluster and profile must outlive it.
class TransferPricer {
 public:
  TransferPricer(const Plan& plan, const Cluster& cluster, const Profile& profile);

  Cost cost(const Transfer& transfer) { return cost(transfer, place_of(transfer)); }

  /// What StagePrices have of it.
  struct ItemPrice {
    Cost cost;
    Seconds copied{};         ///< of that by the rank itself (staging.h)
    std::uint8_t levels = 0;  ///< of the cluster that its group spans; 0 for a rank alone
  };
  ItemPrice item(const Transfer& transfer);

  /// What ranks that each compute for `computing` wait for the last of them (arrival_skew.h).
  Seconds skew(const Transfer& transfer, Seconds computing) const;

  /// Places the groups of a stage's gradients before their exchange is priced.
  void place_gradients(const Stage& stage);

  /// The same with the algorithm and the group.
  TransferPrice explain(const Transfer& transfer);

 private:
  struct Placed {
    AxisSet axes;
    bool neighbours;
    std::int64_t servers;
    Group group;
    std::optional<NcclPrices> nccl;  ///< where NCCL runs collectives over links not measured
    double uncertainty = 0;          ///< of links as described
  };
  struct Choice {
    Cost cost;
    const Algorithm* algorithm;
  };

  const Placed& place_of(const Transfer& transfer);
  Cost cost(const Transfer& transfer, const Placed& placed);
  /// The algorithm that a strategy or "auto" names for a transfer.
  std::string_view wanted(const Transfer& transfer) const;
  /// What was measured of the transfer's collective, where it counts: a strategy that names another
  /// algorithm than the one measured gets that one's formula.
  const LinkFit* measured(const Transfer& transfer, const Group& group) const;
  Seconds staging_time(const Transfer& transfer, const Group& group) const;
  /// Over links as described: what NCCL reaches, by its own choice.
  Choice choose_nccl(const Transfer& transfer, const Placed& placed) const;
  Choice choose(const Transfer& transfer, const Group& group, Evidence evidence,
                const LinkFit* measured) const;

  const Plan& plan_;
  const Cluster& cluster_;
  FittedLinks fits_;
  bool as_described_;  ///< NCCL over links of known kind, none of them measured
  std::span<const CopySpeed> staging_;
  double ranks_per_core_;  ///< that copy at the same time
  std::vector<Placed> placed_;
};

}  // namespace oracle
