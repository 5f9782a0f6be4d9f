#include "oracle/cost/beside_products.h"

#include <algorithm>

namespace oracle {

Seconds beside_products(const BesideProducts& message, std::span<const Cost> items) {
  Seconds products;
  for (const std::uint32_t item : message.products) products += items[item].time;
  const auto pieces = static_cast<double>(message.pieces);
  const Seconds room = message.pieces == 1 ? products : products * ((pieces - 1) / pieces);
  return std::min(items[message.transfer].time, room);
}

}  // namespace oracle
