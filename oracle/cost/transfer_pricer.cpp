#include "oracle/cost/transfer_pricer.h"

#include <bit>

#include "oracle/cost/compute/crowding.h"
#include "oracle/cost/staging.h"

namespace oracle {
namespace {

bool between_neighbours(const Transfer& transfer) {
  return transfer.collective == Collective::send_receive ||
         transfer.collective == Collective::halo_exchange;
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

Seconds neighbour_time(const Transfer& transfer, const Group& group, std::int64_t ranks) {
  return neighbour_messages(transfer, ranks) * group.top().latency +
         transfer.bytes / group.slowest_flow();
}

}  // namespace

TransferPricer::TransferPricer(const Plan& plan, const Cluster& cluster, const Profile& profile)
    : plan_(plan),
      cluster_(cluster),
      fits_(cluster, profile),
      staging_(profile.staging),
      ranks_per_core_(crowd_of(plan.ranks(), cluster, {}).ranks_per_core()) {}

const Group& TransferPricer::group_of(const Transfer& transfer) {
  const bool neighbours = between_neighbours(transfer);
  for (const Placed& known : placed_) {
    if (known.axes == transfer.axes && known.neighbours == neighbours) return known.group;
  }
  const auto axis = static_cast<std::size_t>(std::countr_zero(transfer.axes));
  placed_.push_back({transfer.axes, neighbours,
                     neighbours ? place_neighbours(cluster_, plan_.degrees, axis)
                                : place(cluster_, plan_.degrees, transfer.axes)});
  return placed_.back().group;
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
    return {priced(neighbour_time(transfer, group, plan_.group_size(transfer.axes))), nullptr};
  const std::string_view name = measured != nullptr ? measured->algorithm : wanted(transfer);
  const Algorithm& algorithm = choose_algorithm(transfer.collective, transfer.bytes, group,
                                                library_of(cluster_.device), name);
  return {priced(algorithm.time(transfer.bytes, group)), &algorithm};
}

Cost TransferPricer::cost(const Transfer& transfer) {
  const Group& placed = group_of(transfer);
  const Bytes message = message_of(transfer, placed, plan_.group_size(transfer.axes));
  if (fits_.empty()) return choose(transfer, placed, fits_.evidence(placed, message), nullptr).cost;
  const LinkFit* fit = measured(transfer, placed);
  Group group = placed;
  fits_.apply(group, message, fit);
  return choose(transfer, group, fits_.evidence(placed, message, fit), fit).cost;
}

Seconds TransferPricer::copied(const Transfer& transfer) {
  return staging_time(transfer, group_of(transfer));
}

std::uint8_t TransferPricer::levels(const Transfer& transfer) {
  return static_cast<std::uint8_t>(group_of(transfer).levels);
}

void TransferPricer::place_gradients(const Stage& stage) {
  for (const Gradient& gradient : stage.backward_end.gradients) {
    if (gradient.axes == 0) continue;
    group_of({Collective::all_reduce, gradient.axes, {}, Payload::weight_gradient, 0});
  }
}

TransferPrice TransferPricer::explain(const Transfer& transfer) {
  Group group = group_of(transfer);
  const Bytes message = message_of(transfer, group, plan_.group_size(transfer.axes));
  const LinkFit* fit = measured(transfer, group);
  const Evidence evidence = fits_.evidence(group, message, fit);
  fits_.apply(group, message, fit);
  const Choice choice = choose(transfer, group, evidence, fit);
  return {choice.cost, choice.algorithm, group};
}

}  // namespace oracle
