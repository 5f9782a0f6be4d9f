#include "oracle/cost/plan_pricer.h"

#include <algorithm>

#include "oracle/cost/accumulation.h"
#include "oracle/plan/emit.h"

namespace oracle {

PlanPricer::PlanPricer(const Graph& graph, const Cluster& cluster, const Profile& profile)
    : graph_(graph),
      cluster_(cluster),
      profile_(profile),
      needs_gradient_(needs_gradient(graph)),
      profiled_(profile) {}

void PlanPricer::price_passes(const Plan& plan, Prices& out) {
  const DataType type = plan.training.precision.compute;
  if (!kernels_ || kernels_->type() != type) kernels_.emplace(cluster_, type);
  transfers_.emplace(plan, cluster_, profile_);
  plan_ = &plan;
  crowd_ = crowd_of(plan.ranks(), cluster_, profile_);
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
    prices.copied.clear();
    prices.copied.reserve(prices.items.capacity());
    traffic_.assign(stage.backward_end.items, std::nullopt);
    for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
      const auto& what = stage.items[i].what;
      const auto* work = std::get_if<Work>(&what);
      prices.items.push_back(work == nullptr ? transfers_->cost(std::get<Transfer>(what))
                                             : price_pass(*work, stage, bounds_[s], traffic_[i]));
      prices.levels.push_back(levels_of(what));
    }
    add_company(stage, prices);
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
    std::vector<Seconds>& copied = out.stages[s].copied;
    items.resize(stage.backward_end.items);
    levels.resize(stage.backward_end.items);
    copied.resize(stage.backward_end.items);
    for (std::size_t i = items.size(); i < stage.items.size(); ++i) {
      const auto& what = stage.items[i].what;
      const auto* transfer = std::get_if<Transfer>(&what);
      items.push_back(transfer == nullptr ? updates_[s] : transfers_->cost(*transfer));
      levels.push_back(levels_of(what));
      copied.push_back(transfer == nullptr ? Seconds{} : transfers_->copied(*transfer));
    }
  }
}

std::uint8_t PlanPricer::levels_of(const std::variant<Work, Transfer>& what) {
  const auto* transfer = std::get_if<Transfer>(&what);
  return transfer == nullptr ? std::uint8_t{0} : transfers_->levels(*transfer);
}

Cost PlanPricer::price_pass(const Work& work, const Stage& stage, ComputeBounds& bounds,
                            std::optional<Bytes>& traffic) {
  const Layer& layer = graph_[work.layer];
  const Piece& piece = plan_->pieces[work.layer];
  const Training& training = plan_->training;
  if (is_done_already(graph_, *plan_, stage, work, needs_gradient_)) return {};
  const KernelDemand kernel = demand(layer, piece, work.pass, training);
  const Priced pass = price_kernel(kernel, true, 1, bounds,
                                   [&] { return key_of(layer, piece, work.pass, training); });
  if (pass.measured) traffic = kernel.traffic;
  const double share = accumulation_share(*plan_, piece, work.pass, cluster_);
  if (share == 0 || kernel.kernels == 0) return pass.cost;
  const KernelDemand adding =
      accumulation_demand(layer, piece, training, cluster_.device.device_class);
  const Priced sum = price_kernel(adding, adding.kernels > 0, share, bounds,
                                  [&] { return accumulation_key(layer, piece, training); });
  if (pass.measured && sum.measured) *traffic += adding.traffic * share;
  return with_accumulation(pass.cost, sum.cost, share);
}

/// Of one kernel that is run `times` a pass: what bounds it is counted so often. `runs`: whether
/// the profile may know it.
template <typename Key>
PlanPricer::Priced PlanPricer::price_kernel(const KernelDemand& kernel, bool runs, double times,
                                            ComputeBounds& bounds, const Key& key) {
  const RooflineTerms& terms = kernels_->terms(kernel);
  bounds.launches += terms.launch * times;
  (terms.arithmetic > terms.memory ? bounds.arithmetic : bounds.traffic) +=
      std::max(terms.arithmetic, terms.memory) * times;
  if (runs && !profiled_.empty()) {
    if (const Cost* known = profiled_.find(key())) return {*known, true};
  }
  return {price_of(terms), false};
}

/// What the other ranks on the device add to the passes of a stage, and to the messages between.
void PlanPricer::add_company(const Stage& stage, StagePrices& prices) {
  prices.ranks_per_core = most_turns(crowd_);
  prices.alone = 0;
  if (crowd_.ranks < 2) return;
  std::vector<Cost>& items = prices.items;
  Seconds since;  // ranks met
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    const Shares shares = find_stretches(phase, stage, items);
    Seconds computing, alone;
    for (const Stretch& stretch : stretches_) {
      if (stretch.message != kNoItem) since = {};
      const Company found = company_of(stretch, shares, since, stage);
      since += stretch.time;
      crowd_stretch(stretch, found, stage, items);
      computing += stretch.time;
      alone += found.alone * stretch.time;
    }
    for (std::size_t i = 1; i < stretches_.size(); ++i) {
      items[stretches_[i].message].time += late_after(crowd_, stretches_[i - 1].time);
    }
    if (phase == Phase::backward && computing.value > 0) prices.alone = alone / computing;
  }
}

Shares PlanPricer::find_stretches(Phase phase, const Stage& stage, const std::vector<Cost>& items) {
  stretches_.assign(1, {});
  Seconds computing, waiting, moving, memory;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (stage.items[i].phase != phase) continue;
    if (const auto* transfer = std::get_if<Transfer>(&stage.items[i].what)) {
      waiting += items[i].time;
      if (crowd_.exchange > 0) {
        moving += std::max(Seconds{}, items[i].time - transfers_->latency(*transfer));
      }
      stretches_.push_back({i, i + 1, i + 1, {}, {}});
      continue;
    }
    Stretch& last = stretches_.back();
    if (last.end == 0) last.first = i;
    last.end = i + 1;
    last.time += items[i].time;
    if (traffic_[i]) {
      last.measured += items[i].time;
      memory += waits_for_memory(items[i], *traffic_[i], crowd_);
    }
    computing += items[i].time;
  }
  Shares shares = shares_of(crowd_, computing, waiting, moving);
  if (computing.value > 0) shares.memory = memory / computing;
  return shares;
}

/// Those meet after a stretch that met before it, as after most.
Company PlanPricer::company_of(const Stretch& stretch, const Shares& shares, Seconds since,
                               const Stage& stage) const {
  Company found = closest_company(crowd_);
  if (stretch.message != kNoItem) {
    const auto& message = std::get<Transfer>(stage.items[stretch.message].what);
    found = company(crowd_, shares, stretch.time, plan_->group_size(message.axes));
  }
  const bool pipeline = plan_->stages.size() > 1;
  found.apart = pipeline ? Apart{.chance = shares.memory}
                         : apart_in(crowd_, since, stretch.time, shares.memory);
  return found;
}

void PlanPricer::crowd_stretch(const Stretch& stretch, const Company& found, const Stage& stage,
                               std::vector<Cost>& items) const {
  bool after_message = stretch.message != kNoItem;
  if (after_message) items[stretch.message].time += found.later * stretch.measured;
  for (std::uint32_t i = stretch.first; i < stretch.end; ++i) {
    if (!traffic_[i]) continue;
    if (after_message) items[i].time += refilled(crowd_, *traffic_[i]);
    after_message = false;
    const Pass pass = std::get<Work>(stage.items[i].what).pass;
    items[i] = crowded(items[i], pass, *traffic_[i], crowd_, found);
  }
}

void PlanPricer::price_messages(const std::vector<Transfer>& messages, std::vector<Cost>& out) {
  out.clear();
  for (const Transfer& message : messages) out.push_back(transfers_->cost(message));
}

}  // namespace oracle
