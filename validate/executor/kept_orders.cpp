#include "validate/executor/kept_orders.h"

#include <map>
#include <sstream>
#include <vector>

namespace oracle {

bool orders_agree(std::span<const std::string> orders) {
  std::map<std::string, std::string> seen;
  for (const std::string& lines : orders) {
    std::istringstream in(lines);
    for (std::string parameter, order; in >> parameter && std::getline(in, order);) {
      if (seen.try_emplace(parameter, order).first->second != order) return false;
    }
  }
  return true;
}

bool orders_agree(Communicator& communicator, const std::string& mine) {
  const std::vector<std::string> all = communicator.gather(mine, "orders of gradients");
  return !communicator.any(!orders_agree(all), "orders of gradients");
}

}  // namespace oracle
