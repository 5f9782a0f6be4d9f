// No transfer of a plan is faster than any algorithm could be, and the algorithm chosen is the
// cheapest.
//
// Whatever the algorithm, n members that end with a result of all need ⌈log2 n⌉ rounds of at least
// the least latency, and each must send its part of S bytes through its own link:
//
//   all_reduce 2(n−1)/n·S/B,  reduce_scatter, all_gather, all_to_all (n−1)/n·S/B,  neighbours S/B
//
// with B the fastest link of the cluster, unshared. Chan, Heimlich, Purkayastha & van de Geijn,
// Concurrency and Computation 19(13), 2007.

#include <algorithm>
#include <cmath>

#include "oracle/cost/price.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace transfer_bounds_test {

struct Fastest {
  double bandwidth = 0;
  double latency = INFINITY;
};

/// The best figures of any link, measured ones included.
Fastest fastest_link(const Case& drawn) {
  Fastest best;
  for (const Level& level : drawn.cluster.levels) {
    best.bandwidth = std::max(best.bandwidth, level.uplink.bandwidth.value);
    best.latency = std::min(best.latency, level.uplink.latency.value);
  }
  for (const LinkFit& fit : drawn.profile.links) {
    for (const LinkPiece& piece : fit.pieces) {
      best.latency = std::min(best.latency, piece.latency.value);
    }
  }
  return best;
}

double lower_bound(const Transfer& transfer, double n, const Fastest& link, const Host& host) {
  if (crosses_host_link(transfer)) {
    return host.latency.value + transfer.bytes.value / host.link.value;
  }
  const bool neighbours = transfer.collective == Collective::send_receive ||
                          transfer.collective == Collective::halo_exchange ||
                          transfer.collective == Collective::ring_pass;
  if (neighbours) return link.latency + transfer.bytes.value / link.bandwidth;
  const double volume = (transfer.collective == Collective::all_reduce ? 2 : 1) * (n - 1) / n;
  return std::max(std::ceil(std::log2(n)) * link.latency,
                  volume * transfer.bytes.value / link.bandwidth);
}

TEST(TransferBounds, HoldForEveryTransferOfEveryPlan) {
  std::size_t transfers = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Fastest link = fastest_link(drawn);
    for (const TransferTime& row : evaluation.fits()->transfers) {
      ++transfers;
      const double bound =
          lower_bound(row.transfer, static_cast<double>(row.ranks), link, drawn.cluster.host);
      EXPECT_GE(row.cost.time.value / static_cast<double>(row.times), bound * (1 - 1e-12))
          << name_of(row.transfer.collective) << " by " << row.algorithm;
    }
  });
  EXPECT_GE(transfers, static_cast<std::size_t>(enough(5000)));
}

TEST(TransferBounds, AreBrokenByATransferAtHalfItsPrice) {
  int broken = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    if (drawn.cluster.levels.size() > 1 || !drawn.profile.links.empty()) return;
    const Fastest link = fastest_link(drawn);
    for (const TransferTime& row : evaluation.fits()->transfers) {
      const double bound =
          lower_bound(row.transfer, static_cast<double>(row.ranks), link, drawn.cluster.host);
      broken += row.cost.time.value / static_cast<double>(row.times) / 2 < bound ? 1 : 0;
    }
  });
  EXPECT_GE(broken, enough(100));
}

TEST(Choice, IsTheCheapestOffered) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    const Library library = library_of(drawn.cluster.device);
    Profile profile = drawn.profile;
    profile.staging = {};  // it is the same by any algorithm
    for (const TransferTime& row : evaluation.fits()->transfers) {
      const TransferPrice priced = price_transfer(plan, row.transfer, drawn.cluster, profile);
      const bool gradients = row.transfer.collective == Collective::all_reduce &&
                             row.transfer.payload == Payload::weight_gradient;
      const bool free_choice = !gradients || plan.strategy.exchange == "auto";
      if (priced.algorithm == nullptr) continue;
      if (!free_choice && priced.algorithm->name == plan.strategy.exchange) continue;
      for (const Algorithm& other : all_algorithms()) {
        if (other.serves != row.transfer.collective || !other.applies(priced.group)) continue;
        EXPECT_TRUE(free_choice || other.name != plan.strategy.exchange);
        if (!other.offered.by(library)) continue;
        EXPECT_LE(priced.cost.time.value, other.time(row.transfer.bytes, priced.group).value)
            << other.name;
      }
    }
  });
}

}  // namespace transfer_bounds_test
}  // namespace oracle
