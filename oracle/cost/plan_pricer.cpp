#include "oracle/cost/plan_pricer.h"

#include <algorithm>

#include "oracle/cost/compute/crowding.h"

namespace oracle {

PlanPricer::PlanPricer(const Graph& graph, const Cluster& cluster, const Profile& profile)
    : graph_(graph), cluster_(cluster), profile_(profile), profiled_(profile) {}

void PlanPricer::price_passes(const Plan& plan, Prices& out) {
  const DataType type = plan.training.precision.compute;
  if (!kernels_ || kernels_->type() != type) kernels_.emplace(cluster_, type);
  transfers_.emplace(plan, cluster_, profile_);
  plan_ = &plan;
  crowd_ = crowd_of(plan.ranks(), cluster_, profile_.contention);
  updates_.clear();
  bounds_.assign(plan.stages.size(), {});
  out.stages.resize(plan.stages.size());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    StagePrices& prices = out.stages[s];
    updates_.push_back(price_update(plan, stage, cluster_, profile_));
    prices.items.clear();
    prices.items.reserve(stage.backward_end.items + stage.backward_end.most_items());
    for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
      prices.items.push_back(price_item(stage.items[i], s));
    }
    transfers_->place_gradients(stage);
    price_messages(stage.to_next, prices.to_next);
    price_messages(stage.from_next, prices.from_next);
  }
}

void PlanPricer::price_exchange(Prices& out) {
  for (std::size_t s = 0; s < plan_->stages.size(); ++s) {
    const Stage& stage = plan_->stages[s];
    std::vector<Cost>& items = out.stages[s].items;
    items.resize(stage.backward_end.items);
    for (std::size_t i = items.size(); i < stage.items.size(); ++i) {
      items.push_back(price_item(stage.items[i], s));
    }
  }
}

Cost PlanPricer::price_item(const Item& item, std::size_t stage) {
  const Work* work = std::get_if<Work>(&item.what);
  if (work == nullptr) return transfers_->cost(std::get<Transfer>(item.what));
  return work->pass == Pass::update ? updates_[stage] : price_pass(*work, bounds_[stage]);
}

Cost PlanPricer::price_pass(const Work& work, ComputeBounds& bounds) {
  const Layer& layer = graph_[work.layer];
  const Piece& piece = plan_->pieces[work.layer];
  const KernelDemand kernel = demand(layer, piece, work.pass, plan_->training);
  const RooflineTerms& terms = kernels_->terms(kernel);
  bounds.launches += terms.launch;
  (terms.arithmetic > terms.memory ? bounds.arithmetic : bounds.traffic) +=
      std::max(terms.arithmetic, terms.memory);
  if (kernel.kernels > 0 && !profiled_.empty()) {
    const Cost* known = profiled_.find(key_of(layer, piece, work.pass, plan_->training));
    if (known != nullptr) return crowded(*known, work.pass, kernel.traffic, crowd_);
  }
  return price_of(terms);
}

void PlanPricer::price_messages(const std::vector<Transfer>& messages, std::vector<Cost>& out) {
  out.clear();
  for (const Transfer& message : messages) out.push_back(transfers_->cost(message));
}

}  // namespace oracle
