#include "validate/executor/groups.h"

#include <algorithm>
#include <set>

namespace oracle {
namespace {

/// Messages need no group.
bool is_collective(const Transfer& transfer) {
  return transfer.collective != Collective::halo_exchange &&
         transfer.collective != Collective::send_receive &&
         transfer.collective != Collective::ring_pass;
}

}  // namespace

RankGroups make_groups(const Plan& plan, const Mesh& mesh, bool gradients,
                       Communicator& communicator) {
  std::set<AxisSet> used;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer == nullptr || (item.phase == Phase::exchange) != gradients) continue;
      if (is_collective(*transfer)) used.insert(transfer->axes);
    }
  }
  RankGroups groups;
  for (const AxisSet axes : used) {
    for (const std::vector<int>& members : mesh.groups(axes)) {
      const GroupId id = communicator.make_group(members);
      if (std::find(members.begin(), members.end(), communicator.rank()) == members.end()) continue;
      groups[axes] = {id, static_cast<std::int64_t>(members.size()), members};
    }
  }
  return groups;
}

}  // namespace oracle
