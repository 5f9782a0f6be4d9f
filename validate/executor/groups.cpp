#include "validate/executor/groups.h"

#include <algorithm>
#include <set>

namespace oracle {

RankGroups make_groups(const Plan& plan, const Mesh& mesh, Communicator& communicator) {
  std::set<AxisSet> used;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer != nullptr && transfer->collective != Collective::halo_exchange) {
        used.insert(transfer->axes);
      }
    }
  }
  RankGroups groups;
  for (const AxisSet axes : used) {
    for (const std::vector<int>& members : mesh.groups(axes)) {
      const GroupId id = communicator.make_group(members);
      if (std::find(members.begin(), members.end(), communicator.rank()) == members.end()) continue;
      groups[axes] = {id, static_cast<std::int64_t>(members.size())};
    }
  }
  return groups;
}

}  // namespace oracle
