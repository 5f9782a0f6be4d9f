#include "oracle/budget/price_list.h"

namespace oracle {

const Offer* PriceList::cheapest(std::string_view device) const {
  const Offer* found = nullptr;
  for (const Offer& offer : offers) {
    if (offer.device != device) continue;
    if (found == nullptr || offer.price_per_device() < found->price_per_device()) found = &offer;
  }
  return found;
}

}  // namespace oracle
