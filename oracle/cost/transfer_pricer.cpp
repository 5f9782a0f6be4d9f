#include "oracle/cost/transfer_pricer.h"

#include <algorithm>
#include <bit>

#include "oracle/cost/arrival_skew.h"
#include "oracle/cost/collectives/direct.h"
#include "oracle/cost/compute/crowding.h"
#include "oracle/cost/host_link.h"
#include "oracle/cost/staging.h"
#include "oracle/cost/uncertainty.h"

namespace oracle {
namespace {

bool between_neighbours(const Transfer& transfer) {
  return transfer.collective == Collective::send_receive ||
         transfer.collective == Collective::halo_exchange ||
         transfer.collective == Collective::ring_pass;
}

/// Messages one rank sends: a halo goes to both neighbours, of which a slab of two has one.
double neighbour_messages(const Transfer& transfer, std::int64_t ranks) {
  return transfer.collective == Collective::halo_exchange && ranks > 2 ? 2 : 1;
}

/// The size of one message, by which a fit's piece is chosen: a ring's part for collectives.
Bytes message_of(const Transfer& transfer, const Group& group, std::int64_t ranks) {
  const double messages = between_neighbours(transfer) ? neighbour_messages(transfer, ranks)
                                                       : static_cast<double>(group.size);
  return transfer.bytes / messages;
}

/// Whether NCCL runs over links of which no one was measured and each kind is known.
bool nccl_as_described(const Cluster& cluster, const FittedLinks& fits) {
  return fits.empty() && library_of(cluster.device) == Library::nccl &&
         std::none_of(cluster.levels.begin(), cluster.levels.end(),
                      [](const Level& level) { return level.uplink.fabric == Fabric::unknown; });
}

Seconds neighbour_time(const Transfer& transfer, const Group& group, const Plan& plan) {
  Seconds latency = group.top().latency;
  if (transfer.collective == Collective::halo_exchange) {
    latency = std::max(latency, plan.training.framework.halo_latency);
  }
  return neighbour_messages(transfer, plan.group_size(transfer.axes)) * latency +
         transfer.bytes / group.slowest_flow();
}

}  // namespace

TransferPricer::TransferPricer(const Plan& plan, const Cluster& cluster, const Profile& profile)
    : plan_(plan),
      cluster_(cluster),
      fits_(cluster, profile),
      as_described_(nccl_as_described(cluster, fits_)),
      staging_(profile.staging),
      ranks_per_core_(crowd_of(plan.ranks(), cluster, {}).ranks_per_core()) {}

const TransferPricer::Placed& TransferPricer::place_of(const Transfer& transfer) {
  const bool neighbours = between_neighbours(transfer);
  for (const Placed& known : placed_) {
    if (known.axes == transfer.axes && known.neighbours == neighbours &&
        known.servers == transfer.servers) {
      return known;
    }
  }
  const auto axis = static_cast<std::size_t>(std::countr_zero(transfer.axes));
  Placed placed{transfer.axes,
                neighbours,
                transfer.servers,
                neighbours ? place_neighbours(cluster_, plan_.degrees, axis)
                           : place(cluster_, plan_.degrees, transfer.axes),
                {},
                0};
  placed.group.servers = transfer.servers;
  if (as_described_) {
    placed.uncertainty = link_uncertainty(plan_, placed.group);
    if (!neighbours && placed.group.size > 1) placed.nccl.emplace(placed.group);
    placed.group = reached(placed.group);
  }
  return placed_.emplace_back(placed);
}

std::string_view TransferPricer::wanted(const Transfer& transfer) const {
  const bool exchange =
      transfer.collective == Collective::all_reduce && transfer.payload == Payload::weight_gradient;
  return exchange ? std::string_view(plan_.strategy.exchange) : "auto";
}

const LinkFit* TransferPricer::measured(const Transfer& transfer, const Group& group) const {
  const LinkFit* fit = fits_.collective(transfer.collective, group);
  if (fit == nullptr || between_neighbours(transfer)) return nullptr;
  const std::string_view name = wanted(transfer);
  const bool meant = name == "auto" || name == fit->algorithm;
  return meant && find_algorithm(transfer.collective, fit->algorithm) != nullptr ? fit : nullptr;
}

Seconds TransferPricer::staging_time(const Transfer& transfer, const Group& group) const {
  return group.size < 2 ? Seconds{}
                        : oracle::staging_time(plan_, transfer, staging_) * ranks_per_core_;
}

TransferPricer::Choice TransferPricer::choose(const Transfer& transfer, const Group& group,
                                              Evidence evidence, const LinkFit* measured) const {
  if (group.size < 2) return {{Seconds{}, evidence.source, evidence.uncertainty}, nullptr};
  const Seconds staging = staging_time(transfer, group);
  const auto priced = [&](Seconds time) {
    return Cost{time + staging, evidence.source, evidence.uncertainty};
  };
  if (between_neighbours(transfer))
    return {priced(neighbour_time(transfer, group, plan_)), nullptr};
  if (transfer.apart) return {priced(lone_push(transfer.bytes, group)), nullptr};
  const std::string_view name = measured != nullptr ? measured->algorithm : wanted(transfer);
  const Algorithm& algorithm = choose_algorithm(transfer.collective, transfer.bytes, group,
                                                library_of(cluster_.device), name);
  return {priced(algorithm.time(transfer.bytes, group)), &algorithm};
}

TransferPricer::Choice TransferPricer::choose_nccl(const Transfer& transfer,
                                                   const Placed& placed) const {
  const Evidence evidence{Source::datasheet, placed.uncertainty};
  if (!placed.nccl || transfer.apart) return choose(transfer, placed.group, evidence, nullptr);
  const auto [algorithm, time] =
      placed.nccl->choose(transfer.collective, transfer.bytes, wanted(transfer));
  const Seconds staging = staging_time(transfer, placed.group);
  return {{time + staging, evidence.source, evidence.uncertainty}, algorithm};
}

Cost TransferPricer::cost(const Transfer& transfer, const Placed& placed) {
  if (as_described_) return choose_nccl(transfer, placed).cost;
  const Bytes message = message_of(transfer, placed.group, plan_.group_size(transfer.axes));
  if (fits_.empty()) {
    return choose(transfer, placed.group, fits_.evidence(placed.group, message), nullptr).cost;
  }
  const LinkFit* fit = measured(transfer, placed.group);
  Group group = placed.group;
  fits_.apply(group, message, fit);
  return choose(transfer, group, fits_.evidence(placed.group, message, fit), fit).cost;
}

TransferPricer::ItemPrice TransferPricer::item(const Transfer& transfer) {
  if (crosses_host_link(transfer)) return {host_copy(cluster_, transfer.bytes)};
  const Placed& placed = place_of(transfer);
  return {cost(transfer, placed), staging_time(transfer, placed.group),
          static_cast<std::uint8_t>(placed.group.levels)};
}

Seconds TransferPricer::skew(const Transfer& transfer, Seconds computing) const {
  if (!as_described_ || transfer.apart) return {};
  return arrival_skew(computing, plan_.group_size(transfer.axes), cluster_.device.compute_spread,
                      plan_.strategy.backup);
}

void TransferPricer::place_gradients(const Stage& stage) {
  for (const Gradient& gradient : stage.backward_end.gradients) {
    if (gradient.axes == 0) continue;
    place_of({Collective::all_reduce, gradient.axes, {}, Payload::weight_gradient, 0});
  }
}

TransferPrice TransferPricer::explain(const Transfer& transfer) {
  if (crosses_host_link(transfer)) return {host_copy(cluster_, transfer.bytes), nullptr, {}};
  const Placed& placed = place_of(transfer);
  if (as_described_) {
    const Choice choice = choose_nccl(transfer, placed);
    return {choice.cost, choice.algorithm, placed.group};
  }
  Group group = placed.group;
  const Bytes message = message_of(transfer, group, plan_.group_size(transfer.axes));
  const LinkFit* fit = measured(transfer, group);
  const Evidence evidence = fits_.evidence(group, message, fit);
  fits_.apply(group, message, fit);
  const Choice choice = choose(transfer, group, evidence, fit);
  return {choice.cost, choice.algorithm, group};
}

}  // namespace oracle
