#include "oracle/cost/price.h"

#include <algorithm>

#include "oracle/cost/accumulation.h"
#include "oracle/cost/compute/crowding.h"
#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/host_link.h"
#include "oracle/cost/plan_pricer.h"
#include "oracle/cost/transfer_pricer.h"
#include "oracle/cost/uncertainty.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/lifetimes.h"

namespace oracle {
TransferPrice price_transfer(const Plan& plan, const Transfer& transfer, const Cluster& cluster,
                             const Profile& profile) {
  return TransferPricer(plan, cluster, profile).explain(transfer);
}

std::optional<Cost> profiled_price(const KernelKey& key, const Profile& profile) {
  const auto found =
      std::lower_bound(profile.kernels.begin(), profile.kernels.end(), key,
                       [](const KernelTime& row, const KernelKey& k) { return row.key < k; });
  if (found != profile.kernels.end() && found->key == key) return found->cost;
  if (profile.fits.empty()) return std::nullopt;
  const std::string family = family_of(key);
  for (const KernelFit& fit : profile.fits) {
    if (fit.pass != key.pass || fit.type != key.type || fit.family != family) continue;
    Cost cost = price_of(fit, key);
    cost.fit = fit_number(static_cast<std::size_t>(&fit - profile.fits.data()));
    return cost;
  }
  return std::nullopt;
}

namespace {

/// Of a kernel that no one measured, as far off as such plans are.
Cost unmeasured_price(const KernelDemand& kernel, const Plan& plan, const Cluster& cluster) {
  const DataType type = plan.training.precision.compute;
  return price_of(roofline_terms(kernel, type, cluster), kernel_uncertainty(plan, cluster));
}

}  // namespace

Cost price_compression(const Plan& plan, const Compression& step, const Cluster& cluster,
                       const Profile& profile) {
  const KernelDemand kernel = compression_demand(step);
  const auto known = profiled_price(key_of(step, plan.training), profile);
  if (!known) return unmeasured_price(kernel, plan, cluster);
  return crowded(*known * step.times, Pass::update, kernel.traffic,
                 crowd_of(plan.ranks(), cluster, profile));
}

Cost price_update(const Plan& plan, const Stage& stage, const Cluster& cluster,
                  const Profile& profile) {
  std::int64_t weights = 0;
  const std::int64_t servers = plan.servers_asked();
  for (LayerId id = stage.first; id < stage.last; ++id) {
    weights += plan.updated_by_rank(id, servers);
  }
  const KernelDemand update = update_demand(weights, plan.training);
  if (plan.strategy.offload.optimizer) {
    return host_update(cluster, plan.ranks(), update.traffic);
  }
  if (weights > 0) {
    const auto known = profiled_price(update_key(weights, plan.training), profile);
    if (known) {
      return crowded(*known, Pass::update, update.traffic,
                     crowd_of(plan.ranks(), cluster, profile));
    }
  }
  return unmeasured_price(update, plan, cluster);
}

bool is_done_already(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                     const std::vector<bool>& needs_gradient) {
  return work.pass == Pass::backward_data &&
         shared_gradient(graph, plan, stage, needs_gradient, work.layer);
}

Cost price_work(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                const Cluster& cluster, const Profile& profile) {
  if (work.pass == Pass::update) return price_update(plan, stage, cluster, profile);
  const Layer& layer = graph[work.layer];
  const Piece& piece = plan.pieces[work.layer];
  const Training& training = plan.training;
  if (may_share_gradient(layer) &&
      is_done_already(graph, plan, stage, work, needs_gradient(graph))) {
    return {};
  }
  const auto priced = [&](const KernelDemand& kernel, bool runs, const auto& key) {
    if (runs && profile.has_kernels()) {
      if (const auto known = profiled_price(key(), profile)) return *known;
    }
    return unmeasured_price(kernel, plan, cluster);
  };
  const KernelDemand kernel = demand(layer, piece, work, training);
  const Cost pass = priced(kernel, true, [&] { return key_of(layer, piece, work.pass, training); });
  const double share = accumulation_share(plan, piece, work.pass, cluster);
  if (share == 0 || kernel.kernels == 0) return pass;
  const KernelDemand adding =
      accumulation_demand(layer, piece, training, cluster.device.device_class);
  const Cost sum =
      priced(adding, adding.kernels > 0, [&] { return accumulation_key(layer, piece, training); });
  return with_accumulation(pass, sum, share);
}

Prices price(const Graph& graph, const Plan& plan, const Cluster& cluster, const Profile& profile) {
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  pricer.price_passes(plan, prices);
  pricer.price_exchange(prices);
  return prices;
}

}  // namespace oracle
