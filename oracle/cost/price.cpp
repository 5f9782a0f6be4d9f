#include "oracle/cost/price.h"

#include <algorithm>

#include "oracle/cost/compute/kernel.h"
#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/transfer_pricer.h"

namespace oracle {
namespace {

/// The measured cost of this very kernel, or nullptr.
const Cost* find_measured(const Profile& profile, const KernelKey& key) {
  const auto found =
      std::lower_bound(profile.kernels.begin(), profile.kernels.end(), key,
                       [](const KernelTime& row, const KernelKey& k) { return row.key < k; });
  return found != profile.kernels.end() && found->key == key ? &found->cost : nullptr;
}

Cost price_update(const Plan& plan, const Stage& stage, const Cluster& cluster) {
  std::int64_t weights = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) weights += plan.pieces[id].weights;
  return roofline(update_demand(weights, plan.training), plan.training.precision.compute, cluster);
}

Cost price_pass(const Layer& layer, const Piece& piece, Pass pass, const Training& training,
                const Cluster& cluster, const Profile& profile) {
  const KernelDemand kernel = demand(layer, piece, pass, training);
  if (!profile.kernels.empty()) {
    const Cost* measured = find_measured(profile, key_of(layer, kernel, pass, training));
    if (measured != nullptr) return *measured;
  }
  return roofline(kernel, training.precision.compute, cluster);
}

std::vector<Cost> price_messages(const std::vector<Transfer>& messages, TransferPricer& pricer) {
  std::vector<Cost> out;
  out.reserve(messages.size());
  for (const Transfer& message : messages) out.push_back(pricer.cost(message));
  return out;
}

}  // namespace

TransferPrice price_transfer(const Plan& plan, const Transfer& transfer, const Cluster& cluster,
                             const Profile& profile) {
  return TransferPricer(plan, cluster, profile).explain(transfer);
}

Cost price_work(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                const Cluster& cluster, const Profile& profile) {
  if (work.pass == Pass::update) return price_update(plan, stage, cluster);
  return price_pass(graph[work.layer], plan.pieces[work.layer], work.pass, plan.training, cluster,
                    profile);
}

Prices price(const Graph& graph, const Plan& plan, const Cluster& cluster, const Profile& profile) {
  TransferPricer pricer(plan, cluster, profile);
  Prices out;
  out.stages.reserve(plan.stages.size());
  for (const Stage& stage : plan.stages) {
    StagePrices& prices = out.stages.emplace_back();
    prices.items.reserve(stage.items.size());
    for (const Item& item : stage.items) {
      const Work* work = std::get_if<Work>(&item.what);
      prices.items.push_back(work != nullptr
                                 ? price_work(graph, plan, stage, *work, cluster, profile)
                                 : pricer.cost(std::get<Transfer>(item.what)));
    }
    prices.to_next = price_messages(stage.to_next, pricer);
    prices.from_next = price_messages(stage.from_next, pricer);
  }
  return out;
}

}  // namespace oracle
