#include "oracle/cost/host_link.h"

namespace oracle {
namespace {

/// No copy and no update on a host was measured.
constexpr double kUncertainty = 0.4;

/// Of the memory's bandwidth.
constexpr double kUpdateReaches = 0.46;

}  // namespace

Cost host_copy(const Cluster& cluster, Bytes bytes) {
  const auto sharing = static_cast<double>(cluster.ranks_per_device);
  return {cluster.host.latency + bytes * sharing / cluster.host.link, Source::assumed,
          kUncertainty};
}

Cost host_update(const Cluster& cluster, std::int64_t ranks, Bytes touched) {
  const auto sharing = static_cast<double>(cluster.ranks_on_host(ranks));
  return {touched * sharing / (cluster.host.memory_bandwidth * kUpdateReaches), Source::assumed,
          kUncertainty};
}

}  // namespace oracle
