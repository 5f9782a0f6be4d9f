#include "oracle/cost/beside_products.h"

#include <algorithm>
#include <variant>

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds beside_products(const BesideProducts& message, std::span<const Cost> items) {
  Seconds products;
  for (const std::uint32_t item : message.products) products += items[item].time;
  const auto pieces = static_cast<double>(message.pieces);
  const Seconds room = message.pieces == 1 ? products : products * ((pieces - 1) / pieces);
  return std::min(items[message.transfer].time, room);
}

bool hides_messages(const Plan& plan, const Cluster& cluster) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const Stage& stage) {
    return std::any_of(stage.beside_products.begin(), stage.beside_products.end(),
                       [&](const BesideProducts& message) {
                         const auto& transfer =
                             std::get<Transfer>(stage.items[message.transfer].what);
                         return place(cluster, plan.degrees, transfer.axes).levels <= 1;
                       });
  });
}

}  // namespace oracle
