#include "oracle/cluster/peers.h"

namespace oracle {
namespace {

struct Rates {
  const char* name;
  Bandwidth access, through_host;
};

Rates rates_beside(Generation generation) {
  switch (generation) {
    case Generation::hopper:
    case Generation::blackwell:
      return {"PCIe 5.0 x16", Bandwidth{40e9}, Bandwidth{27e9}};
    case Generation::ampere:
    case Generation::ada:
      return {"PCIe 4.0 x16", Bandwidth{22e9}, Bandwidth{3.1e9}};
    default:
      return {"PCIe 3.0 x16", Bandwidth{12e9}, Bandwidth{4.7e9}};
  }
}

constexpr Seconds kNvlinkLatency{3.4e-6}, kPcieLatency{5.7e-6};  // NCCL 2.18, graph/tuning.cc

}  // namespace

UsualPeers usual_peers(const Device& device, std::optional<bool> access) {
  if (device.nvlink.value > 0 && !access) {
    return {{"NVLink", device.nvlink, device.nvlink, kNvlinkLatency, Fabric::nvlink},
            "NVLink of " + device.id};
  }
  const Rates usual = rates_beside(device.generation);
  const std::string name = usual.name;
  if (access.value_or(device.peer_access)) {
    return {{name, usual.access, usual.access, kPcieLatency, Fabric::pcie},
            name + " as measured by many"};
  }
  return {{name + ", host", usual.through_host, usual.through_host, kPcieLatency, Fabric::host},
          name +
              " through the host's memory, without peer access: a third to three times of it on "
              "other machines"};
}

}  // namespace oracle
