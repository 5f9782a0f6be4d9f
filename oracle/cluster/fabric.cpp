#include "oracle/cluster/fabric.h"

#include <array>

namespace oracle {

std::string_view name_of(Fabric fabric) {
  constexpr std::array<std::string_view, kFabricCount> kNames = {
      "unknown", "nvlink", "pcie", "host", "infiniband", "slingshot", "staged", "sockets"};
  return kNames[static_cast<std::size_t>(fabric)];
}

std::vector<std::string> fabric_names() {
  std::vector<std::string> names;
  for (std::size_t f = 1; f < kFabricCount; ++f) {
    names.emplace_back(name_of(static_cast<Fabric>(f)));
  }
  return names;
}

std::optional<Fabric> fabric_named(std::string_view name) {
  for (std::size_t f = 1; f < kFabricCount; ++f) {
    if (name_of(static_cast<Fabric>(f)) == name) return static_cast<Fabric>(f);
  }
  return std::nullopt;
}

}  // namespace oracle
