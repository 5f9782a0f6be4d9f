#include "oracle/cost/price.h"

#include <algorithm>

#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/plan_pricer.h"
#include "oracle/cost/transfer_pricer.h"

namespace oracle {

TransferPrice price_transfer(const Plan& plan, const Transfer& transfer, const Cluster& cluster,
                             const Profile& profile) {
  return TransferPricer(plan, cluster, profile).explain(transfer);
}

const Cost* measured_price(const Layer& layer, const KernelDemand& kernel, Pass pass,
                           const Training& training, const Profile& profile) {
  if (profile.kernels.empty()) return nullptr;
  const KernelKey key = key_of(layer, kernel, pass, training);
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

Cost price_work(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                const Cluster& cluster, const Profile& profile) {
  if (work.pass == Pass::update) return price_update(plan, stage, cluster);
  const Layer& layer = graph[work.layer];
  const KernelDemand kernel = demand(layer, plan.pieces[work.layer], work.pass, plan.training);
  const Cost* measured = measured_price(layer, kernel, work.pass, plan.training, profile);
  return measured != nullptr ? *measured
                             : roofline(kernel, plan.training.precision.compute, cluster);
}

Prices price(const Graph& graph, const Plan& plan, const Cluster& cluster, const Profile& profile) {
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  pricer.price_passes(plan, prices);
  pricer.price_exchange(prices);
  return prices;
}

}  // namespace oracle
