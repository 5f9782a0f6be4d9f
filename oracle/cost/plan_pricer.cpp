#include "oracle/cost/plan_pricer.h"

#include <algorithm>
#include <array>

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
    prices.levels.clear();
    prices.levels.reserve(prices.items.capacity());
    traffic_.assign(stage.backward_end.items, std::nullopt);
    for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
      const auto& what = stage.items[i].what;
      const auto* work = std::get_if<Work>(&what);
      prices.items.push_back(work == nullptr ? transfers_->cost(std::get<Transfer>(what))
                                             : price_pass(*work, bounds_[s], traffic_[i]));
      prices.levels.push_back(levels_of(what));
    }
    add_company(stage, prices.items);
    transfers_->place_gradients(stage);
    price_messages(stage.to_next, prices.to_next);
    price_messages(stage.from_next, prices.from_next);
  }
}

void PlanPricer::price_exchange(Prices& out) {
  for (std::size_t s = 0; s < plan_->stages.size(); ++s) {
    const Stage& stage = plan_->stages[s];
    std::vector<Cost>& items = out.stages[s].items;
    std::vector<std::uint8_t>& levels = out.stages[s].levels;
    items.resize(stage.backward_end.items);
    levels.resize(stage.backward_end.items);
    for (std::size_t i = items.size(); i < stage.items.size(); ++i) {
      const auto& what = stage.items[i].what;
      const auto* transfer = std::get_if<Transfer>(&what);
      items.push_back(transfer == nullptr ? updates_[s] : transfers_->cost(*transfer));
      levels.push_back(levels_of(what));
    }
  }
}

std::uint8_t PlanPricer::levels_of(const std::variant<Work, Transfer>& what) {
  const auto* transfer = std::get_if<Transfer>(&what);
  return transfer == nullptr ? std::uint8_t{0} : transfers_->levels(*transfer);
}

Cost PlanPricer::price_pass(const Work& work, ComputeBounds& bounds,
                            std::optional<Bytes>& traffic) {
  const Layer& layer = graph_[work.layer];
  const Piece& piece = plan_->pieces[work.layer];
  const KernelDemand kernel = demand(layer, piece, work.pass, plan_->training);
  const RooflineTerms& terms = kernels_->terms(kernel);
  bounds.launches += terms.launch;
  (terms.arithmetic > terms.memory ? bounds.arithmetic : bounds.traffic) +=
      std::max(terms.arithmetic, terms.memory);
  if (kernel.kernels > 0 && !profiled_.empty()) {
    const Cost* known = profiled_.find(key_of(layer, piece, work.pass, plan_->training));
    if (known != nullptr) {
      traffic = kernel.traffic;
      return *known;
    }
  }
  return price_of(terms);
}

/// What the other ranks on the device add to the passes of a stage.
void PlanPricer::add_company(const Stage& stage, std::vector<Cost>& items) const {
  if (crowd_.ranks < 2) return;
  std::array<Company, kPhaseCount> companies;
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    companies[static_cast<std::size_t>(phase)] = company_in(phase, stage, items);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!traffic_[i]) continue;
    const Item& item = stage.items[i];
    items[i] = crowded(items[i], std::get<Work>(item.what).pass, *traffic_[i], crowd_,
                       companies[static_cast<std::size_t>(item.phase)]);
  }
}

Company PlanPricer::company_in(Phase phase, const Stage& stage,
                               const std::vector<Cost>& items) const {
  Course course;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = stage.items[i];
    if (item.phase != phase) continue;
    const bool computes = std::holds_alternative<Work>(item.what);
    (computes ? course.computing : course.waiting) += items[i].time;
    if (!computes) ++course.stretches;
  }
  return company(crowd_, course);
}

void PlanPricer::price_messages(const std::vector<Transfer>& messages, std::vector<Cost>& out) {
  out.clear();
  for (const Transfer& message : messages) out.push_back(transfers_->cost(message));
}

}  // namespace oracle
