#include "oracle/cluster/shared_device.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Of one GPU's ranks together, and of one message [bytes/s].
constexpr Bandwidth kSockets{6e9}, kOneSocket{2e9};
constexpr Seconds kSocketLatency{50e-6};

void assume(Cluster& cluster, const std::string& figure, const std::string& text) {
  cluster.sources.push_back({"machine/" + figure, Source::assumed, text});
  cluster.assumptions.push_back("machine/" + figure + ": " + text);
}

}  // namespace

std::string to_text(const DeviceSharing& sharing) {
  const std::string ranks = std::to_string(sharing.ranks);
  return ranks + " ranks on each GPU, " +
         (sharing.partitioned ? "each on 1/" + ranks + " of its multiprocessors (CUDA MPS)"
                              : "which take turns on all of it (no CUDA MPS)") +
         ", messages through sockets";
}

Cluster with_shared_devices(Cluster cluster, const DeviceSharing& sharing, std::int64_t ranks) {
  ensure(sharing.ranks > 1, "a device of one rank is not shared");
  cluster.name += ", " + std::to_string(sharing.ranks) + " ranks on each GPU";
  cluster.ranks_per_device = sharing.ranks;
  // Figures of links that no message takes; the price of all of it is not that of this part.
  std::erase_if(cluster.sources, [](const FigureSource& source) {
    return source.figure.find('/') != std::string::npos || source.figure == "price";
  });
  Level machine;
  machine.name = "machine";
  machine.units = std::max<std::int64_t>(1, (ranks + sharing.ranks - 1) / sharing.ranks);
  machine.uplink = {"sockets of the machine", kSockets, kOneSocket, kSocketLatency};
  cluster.levels = {machine};
  cluster.assumptions.push_back("a rank's share: " + to_text(sharing));
  assume(cluster, "units", "as many GPUs of one machine as the ranks need");
  assume(cluster, "bandwidth", "6 GB/s for all ranks of a GPU, device to host to socket and back");
  assume(cluster, "rails", "one message through a socket moves 2 GB/s");
  assume(cluster, "latency", "50 us a message of NCCL's socket transport");
  return cluster;
}

}  // namespace oracle
