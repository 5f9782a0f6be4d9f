#include "tests/conformance/spatial_plan.h"

#include <algorithm>

#include "oracle/plan/layout/halo.h"

namespace oracle::paradl {
namespace {

std::optional<Transfer> halo_of(const std::vector<Transfer>& halos, LayerId tensor) {
  const auto found = std::find_if(halos.begin(), halos.end(),
                                  [&](const Transfer& halo) { return halo.layer == tensor; });
  if (found == halos.end()) return std::nullopt;
  return *found;
}

/// The first spatial axis of the network's tensors: 0 depth, 1 height.
std::size_t first_axis(const Network& network) { return 4 - network.operations[0].input.size(); }

}  // namespace

std::size_t last_split(const Network& network) {
  const auto found = std::find_if(network.operations.rbegin(), network.operations.rend(),
                                  [](const Operation& o) { return o.split_in_space; });
  return static_cast<std::size_t>(network.operations.rend() - found) - 1;
}

Plan spatial_plan_of(const Network& network, const Case& printed) {
  const Operation* last = &network.operations[last_split(network)];
  while (network.graph[last[1].layer].reach == Reach::pointwise) ++last;
  return plan_of(network, printed, first_axis(network) == 0 ? "depth" : "height",
                 [last](const Operation& operation) { return &operation <= last; });
}

std::vector<SplitWindow> split_windows(const Network& network, const Plan& plan,
                                       std::int64_t slabs) {
  const auto forward = transfers_of(plan, Collective::halo_exchange, Payload::activation);
  const auto backward = transfers_of(plan, Collective::halo_exchange, Payload::activation_gradient);
  std::vector<SplitWindow> windows;
  for (const Operation& operation : network.operations) {
    if (!operation.split_in_space) continue;
    const Layer& layer = network.graph[operation.layer];
    const std::size_t axis = first_axis(network);
    windows.push_back({&operation, halo_of(forward, layer.inputs.front()),
                       halo_of(backward, operation.layer), forward_halo(layer, axis, slabs).sent});
  }
  return windows;
}

}  // namespace oracle::paradl
