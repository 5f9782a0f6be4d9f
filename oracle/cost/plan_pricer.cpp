#include "oracle/cost/plan_pricer.h"

#include <algorithm>

#include "oracle/cost/accumulation.h"
#include "oracle/cost/beside_products.h"
#include "oracle/cost/host_calls.h"
#include "oracle/cost/host_queue.h"
#include "oracle/cost/uncertainty.h"
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
  uncertainty_ = kernel_uncertainty(plan, cluster_);
  crowd_ = crowd_of(plan.ranks(), cluster_, profile_);
  passes_.clear();
  place_in_passes_.assign(kPassCount * graph_.size(), 0);
  updates_.clear();
  computing_.assign(plan.stages.size(), {});
  bounds_.assign(plan.stages.size(), {});
  out.stages.resize(plan.stages.size());
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    StagePrices& prices = out.stages[s];
    if (const std::size_t twin = plan.twin(s); twin != s) {
      if (!stage.items.empty()) prices = out.stages[twin];
      updates_.push_back(updates_[twin]);
      computing_[s] = computing_[twin];
      bounds_[s] = bounds_[twin];
      continue;
    }
    updates_.push_back(price_update(plan, stage, cluster_, profile_));
    prices.items.clear();
    prices.items.reserve(stage.backward_end.items + stage.backward_end.most_items());
    prices.levels.clear();
    prices.levels.reserve(prices.items.capacity());
    prices.copied.clear();
    prices.copied.reserve(prices.items.capacity());
    HostQueue host(plan.training.framework.host_per_kernel);
    mark_overlapped(stage);
    for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
      const auto& what = stage.items[i].what;
      if (const auto* transfer = std::get_if<Transfer>(&what)) {
        TransferPricer::ItemPrice price = transfers_->item(*transfer);
        if (is_waited_for(*transfer, i)) price.cost.time = host.run(1, price.cost.time);
        prices.items.push_back(price.cost);
        prices.levels.push_back(price.levels);
        continue;
      }
      prices.items.push_back(price_pass(std::get<Work>(what), stage, host, bounds_[s]));
      prices.levels.push_back(0);
      computing_[s] += prices.items.back().time * micro_batches;
    }
    if (!stage.backward_end.exchanges()) wait_in_backward(s, prices.items);
    prices.beside.assign(stage.beside_products.empty() ? 0 : prices.items.size(), {});
    for (const BesideProducts& message : stage.beside_products) {
      if (prices.levels[message.transfer] > 1) continue;
      prices.beside[message.transfer] = beside_products(message, prices.items);
    }
    transfers_->place_gradients(stage);
    price_messages(stage.to_next, prices.to_next);
    price_messages(stage.from_next, prices.from_next);
  }
}

void PlanPricer::mark_overlapped(const Stage& stage) {
  overlapped_.assign(stage.backward_end.items, false);
  for (const BesideProducts& message : stage.beside_products) overlapped_[message.transfer] = true;
  for (const std::uint32_t message : stage.expert_messages) overlapped_[message] = true;
}

/// Whether what is computed next waits for the message: gradients go beside it, too.
bool PlanPricer::is_waited_for(const Transfer& transfer, std::uint32_t item) const {
  const Payload payload = transfer.payload;
  return !overlapped_[item] &&
         (payload == Payload::activation || payload == Payload::activation_gradient ||
          payload == Payload::statistics);
}

void PlanPricer::price_updates() {
  for (std::size_t s = 0; s < updates_.size(); ++s) {
    const std::size_t twin = plan_->twin(s);
    updates_[s] =
        twin != s ? updates_[twin] : price_update(*plan_, plan_->stages[s], cluster_, profile_);
  }
}

void PlanPricer::price_exchange(Prices& out) {
  for (std::size_t s = 0; s < plan_->stages.size(); ++s) {
    const Stage& stage = plan_->stages[s];
    if (stage.items.empty()) continue;
    std::vector<Cost>& items = out.stages[s].items;
    std::vector<std::uint8_t>& levels = out.stages[s].levels;
    std::vector<Seconds>& copied = out.stages[s].copied;
    items.resize(stage.backward_end.items);
    levels.resize(stage.backward_end.items);
    copied.resize(stage.backward_end.items);
    for (std::size_t i = items.size(); i < stage.items.size(); ++i) {
      const auto& what = stage.items[i].what;
      const auto* transfer = std::get_if<Transfer>(&what);
      const auto* step = std::get_if<Compression>(&what);
      TransferPricer::ItemPrice price{updates_[s]};
      if (transfer != nullptr) price = transfers_->item(*transfer);
      if (step != nullptr) {
        price.cost = price_compression(*step);
        price.copied = price.cost.time;
      }
      const double share = stage.items[i].per_step();
      items.push_back(price.cost * share);
      levels.push_back(price.levels);
      copied.push_back(price.copied * share);
    }
    out.stages[s].served = plan_->strategy.waits_for_all() ? StagePrices::Served{} : served(stage);
    wait_for_the_last(s, items);
  }
}

/// A server's link takes gradients and gives weights, and as it is a rank's, too, gives that rank's
/// gradients to the other servers and takes their weights.
StagePrices::Served PlanPricer::served(const Stage& stage) {
  Seconds in, out;
  StagePrices::Served served;
  double ranks = 1;
  for (std::size_t i = stage.backward_end.items; i < stage.items.size(); ++i) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr || !transfer->apart) continue;
    Transfer all = *transfer;
    all.apart = false;
    const Seconds of_all = transfers_->cost(all).time;
    ranks = static_cast<double>(plan_->group_size(transfer->axes));
    const Seconds as_rank =
        of_all * (static_cast<double>(transfer->servers - 1) / std::max(ranks - 1, 1.0));
    const bool pushes = all.collective == Collective::push;
    in += pushes ? of_all : as_rank;
    out += pushes ? as_rank : of_all;
    served.own += transfers_->cost(*transfer).time;
  }
  served.link = std::max(in, out);
  served.others = served.link * ((ranks - 1) / ranks);
  return served;
}

void PlanPricer::wait_for_the_last(std::size_t s, std::vector<Cost>& items) const {
  const Stage& stage = plan_->stages[s];
  for (std::size_t i = stage.items.size(); i-- > stage.backward_end.items;) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr || crosses_host_link(*transfer)) continue;
    items[i].time += transfers_->skew(*transfer, computing_[s]);
    return;
  }
}

void PlanPricer::wait_in_backward(std::size_t s, std::vector<Cost>& items) const {
  const Stage& stage = plan_->stages[s];
  const auto micro_batches = static_cast<double>(plan_->strategy.micro_batches);
  for (std::size_t i = items.size(); i-- > 0;) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr || transfer->payload != Payload::weight_gradient) continue;
    items[i].time += transfers_->skew(*transfer, computing_[s]) / micro_batches;
    return;
  }
}

/// With what it waits for the host.
Cost PlanPricer::price_pass(const Work& work, const Stage& stage, HostQueue& host,
                            ComputeBounds& bounds) {
  if (is_done_already(graph_, *plan_, stage, work, needs_gradient_)) return {};
  const PassPrice& pass = price_of_pass(work);
  bounds += pass.own;
  bounds += pass.of_sum;
  Cost cost = pass.cost;
  cost.time = host.run(pass.kernels, pass.cost.time);
  bounds.launches += cost.time - pass.cost.time;
  return cost;
}

const PlanPricer::PassPrice& PlanPricer::price_of_pass(const Work& work) {
  if (work.pass == Pass::quantize) return passes_.emplace_back(price_kernels(work));
  const std::vector<LayerId>& likes = plan_->assignment.like;
  const LayerId like = work.layer < likes.size() ? likes[work.layer] : work.layer;
  // A copy of a weight is its owner's elsewhere, and a stage may begin behind a batch norm.
  const Piece &own = plan_->pieces[work.layer], &other = plan_->pieces[like];
  const bool same = own.shared == other.shared && own.in_norm == other.in_norm &&
                    own.wide_inputs == other.wide_inputs && own.wide_output == other.wide_output;
  std::uint32_t& place = place_in_passes_[kPassCount * (same ? like : work.layer) +
                                          static_cast<std::size_t>(work.pass)];
  if (place == 0) {
    passes_.push_back(price_kernels(work));
    place = static_cast<std::uint32_t>(passes_.size());
  }
  return passes_[place - 1];
}

/// What converts to fewer bits is launched by the product's own call, a fused cast by the kernel
/// before.
double PlanPricer::launches_of(const Work& work, const KernelDemand& kernel) const {
  const Training& training = plan_->training;
  const bool along = is_narrow(graph_[work.layer], training.precision) || training.framework.fuses;
  if (work.pass == Pass::quantize) return along ? 0.0 : kernel.kernels;
  return host_calls(graph_[work.layer], plan_->pieces[work.layer], work.pass, kernel.kernels);
}

PlanPricer::PassPrice PlanPricer::price_kernels(const Work& work) {
  const Layer& layer = graph_[work.layer];
  const Piece& piece = plan_->pieces[work.layer];
  const Training& training = plan_->training;
  const KernelDemand kernel = demand(layer, piece, work, training);
  const Priced pass =
      price_kernel(kernel, true, 1, [&] { return key_of(layer, piece, work.pass, training); });
  const auto beside_others = [&](const Cost& cost, Bytes traffic) {
    return pass.measured ? crowded(cost, work.pass, traffic, crowd_) : cost;
  };
  const double share = accumulation_share(*plan_, piece, work.pass, cluster_);
  if (share == 0 || kernel.kernels == 0) {
    return {beside_others(pass.cost, kernel.traffic), launches_of(work, kernel), pass.bounds, {}};
  }
  const KernelDemand adding =
      accumulation_demand(layer, piece, training, cluster_.device.device_class);
  const Priced sum = price_kernel(adding, adding.kernels > 0, share,
                                  [&] { return accumulation_key(layer, piece, training); });
  const Bytes added = sum.measured ? adding.traffic * share : Bytes{};
  return {beside_others(with_accumulation(pass.cost, sum.cost, share), kernel.traffic + added),
          launches_of(work, kernel) + share * adding.kernels, pass.bounds, sum.bounds};
}

/// Of one kernel that is run `times` a pass: what bounds it is counted so often. `runs`: whether
/// the profile may know it.
template <typename Key>
PlanPricer::Priced PlanPricer::price_kernel(const KernelDemand& kernel, bool runs, double times,
                                            const Key& key) {
  const auto& [terms, in_a_step] = kernels_->kernel(kernel);
  const Cost price{in_a_step, Source::assumed, uncertainty_};
  ComputeBounds bounds;
  bounds.launches = terms.launch * times;
  (terms.arithmetic > terms.memory ? bounds.arithmetic : bounds.traffic) =
      (price.time - terms.launch) * times;
  if (runs && !profiled_.empty()) {
    if (const Cost* known = profiled_.find(key())) return {*known, true, bounds};
  }
  return {price, false, bounds};
}

Cost PlanPricer::price_compression(const Compression& step) {
  const KernelDemand kernel = compression_demand(step);
  const Priced priced =
      price_kernel(kernel, true, 1, [&] { return key_of(step, plan_->training); });
  if (!priced.measured) return priced.cost;
  return crowded(priced.cost * step.times, Pass::update, kernel.traffic, crowd_);
}

void PlanPricer::price_messages(const std::vector<Transfer>& messages, std::vector<Cost>& out) {
  out.clear();
  for (const Transfer& message : messages) out.push_back(transfers_->cost(message));
}

}  // namespace oracle
