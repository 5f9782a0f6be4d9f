#pragma once
// Of which kind is a link?
//
// Its kind says what of the described bandwidth a library reaches, and how its protocols' latencies
// compare (cost/collectives/nccl.h). A description may leave it out.
//
//   kind        is
//   nvlink      links between GPUs, with or without a switch
//   pcie        a PCI Express tree, described by what NCCL counts on: 12 GB/s of 15.75
//   host        PCI Express through the host's memory, described by what is reached (peers.h)
//   infiniband  InfiniBand, or Ethernet with RDMA: the card reads the GPU's memory
//   slingshot   Slingshot
//   staged      RDMA out of the host's memory, to which the GPU's data is copied first
//   sockets     TCP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

enum class Fabric : std::uint8_t {
  unknown,
  nvlink,
  pcie,
  host,
  infiniband,
  slingshot,
  staged,
  sockets
};
inline constexpr std::size_t kFabricCount = 8;
std::string_view name_of(Fabric fabric);

/// Kinds by name; a description leaves "unknown" out.
std::vector<std::string> fabric_names();
std::optional<Fabric> fabric_named(std::string_view name);

}  // namespace oracle
