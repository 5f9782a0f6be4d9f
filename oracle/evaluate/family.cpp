#include "oracle/evaluate/family.h"

#include <utility>

#include "oracle/base/error.h"
#include "oracle/cost/beside_products.h"
#include "oracle/evaluate/balance.h"
#include "oracle/evaluate/details.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/exchange.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/recompute.h"

namespace oracle {
namespace {

/// The longest name of an algorithm fits without another allocation.
constexpr std::size_t kLongestName = 32;

/// What makes the activations of a rank fewer, by what helps without another mesh first.
std::string advice_on_activations(const Graph& graph, const Plan& plan) {
  std::string text;
  const std::int64_t most = plan.training.batch / sample_groups(plan.assignment, plan.degrees);
  if (most > plan.strategy.micro_batches) {
    const bool gpipe = plan.stages.size() > 1 && plan.strategy.schedule == PipelineSchedule::gpipe;
    text += "use more micro-batches (micro_batches=" + std::to_string(most) + " at most)" +
            (gpipe ? " with the 1f1b schedule, " : ", ");
  }
  if (has_blocks(graph) && plan.strategy.recompute != "full") text += "recompute=full, ";
  const bool is_text = finds_parts(graph, Cut::context);
  return text + "lower the batch per rank, or shard activations over more ranks (" +
         (is_text ? "tensor_sequence, context)" : "spatial, filter)");
}

}  // namespace

Variant variant_of(const Strategy& strategy) {
  return {strategy.bucket, strategy.exchange, strategy.overlap, strategy.schedule};
}

void put(const Variant& variant, Strategy& strategy) {
  strategy.bucket = variant.bucket;
  strategy.exchange.assign(variant.exchange);
  strategy.overlap = variant.overlap;
  strategy.schedule = variant.schedule;
}

Family::Family(const Setting& setting, Twins twins)
    : setting_(setting), twins_(twins), pricer_(setting.graph, setting.cluster, setting.profile) {}

OneStage& Family::one_stage() {
  if (!one_stage_) one_stage_.emplace(setting_, pricer_);
  return *one_stage_;
}

Strategy Family::staged(const Strategy& strategy, const Training& training) {
  if (!strategy.has(Cut::pipeline)) return strategy;
  return with_stages(setting_, strategy, training, one_stage());
}

std::vector<Seconds> Family::least_steps(const Strategy& strategy, const Training& training,
                                         std::span<const std::int64_t> chunks) {
  if (strategy.has(Cut::pipeline)) {
    return least_with_stages(setting_, strategy, training, chunks, one_stage());
  }
  // A fit of measured links may promise more of one large message than of many small ones.
  const bool is_known = setting_.profile.links.empty() && one_stage().condenses();
  return std::vector<Seconds>(
      chunks.size(), is_known ? least_in_one_stage(strategy, training, one_stage()) : Seconds{});
}

const Infeasible* Family::plan(const Strategy& strategy, const Training& training) {
  auto partitioned =
      partition(setting_.graph, staged(strategy, training), training, setting_.cluster, twins_);
  if (auto* refusal = std::get_if<Infeasible>(&partitioned)) {
    plan_.reset();
    refusal_ = std::move(*refusal);
    return &*refusal_;
  }
  plan_ = std::move(std::get<Plan>(partitioned));
  plan_->strategy.exchange.reserve(kLongestName);
  needs_ = stage_needs(setting_.graph, *plan_, setting_.cluster);
  for (const Stage& stage : plan_->stages) {
    buckets_.restart(strategy.bucket, stage.backward_end.gradients.size());
  }
  take_memory();
  return nullptr;
}

void Family::choose(const Variant& variant) {
  Strategy& strategy = plan_->strategy;
  const Variant before = variant_of(strategy);
  const auto is_other = [](std::string_view exchange) {
    return chosen_exchange(exchange).row != nullptr;
  };
  const bool other_items = variant.exchange != before.exchange &&
                           (is_other(variant.exchange) || is_other(before.exchange));
  const bool emits =
      other_items || variant.bucket != before.bucket || variant.overlap != before.overlap;
  const bool runs = emits || variant.exchange != before.exchange;
  const bool holds = emits || variant.schedule != before.schedule;
  // What `before` names is overwritten.
  const bool other_servers = other_items && chosen_exchange(before.exchange).servers() !=
                                                chosen_exchange(variant.exchange).servers();
  ensure(parts_backward(variant.schedule) == parts_backward(before.schedule),
         "variants run backward in as many turns");
  put(variant, strategy);
  if (emits) {
    for (Stage& stage : plan_->stages) emit_exchange(strategy, stage, buckets_);
  }
  if (other_servers) {
    needs_ = stage_needs(setting_.graph, *plan_, setting_.cluster);
    pricer_.price_updates();
  }
  if (runs) exchange_is_run_ = false;
  if (holds) take_memory();
}

Footprint Family::memory_of(std::size_t stage) const {
  return footprint_of(needs_, *plan_, stage % static_cast<std::size_t>(plan_->pipeline().ranks));
}

void Family::take_memory() { memory_ = worst_footprint(needs_, *plan_); }

void Family::measure(std::span<const PipelineSchedule> schedules) {
  exchange_is_run_ = false;
  pricer_.price_passes(*plan_, prices_);
  scheduler_.prepare(*plan_, prices_);
  for (const PipelineSchedule schedule : schedules) {
    scheduler_.prepare_order(schedule);
  }
  busy_.assign(plan_->stages.size(), {});
  for (std::size_t s = 0; s < busy_.size(); ++s) {
    const std::size_t twin = plan_->twin(s);
    if (twin != s) busy_[s] = busy_[twin];
    if (twin == s) add_busy(s, 0, plan_->stages[s].backward_end.items, busy_[s]);
  }
}

void Family::add_busy(std::size_t stage, std::size_t begin, std::size_t end, CostSum& sum) const {
  const auto micro_batches = static_cast<double>(plan_->strategy.micro_batches);
  for (std::size_t i = begin; i < end; ++i) {
    const Phase phase = plan_->stages[stage].items[i].phase;
    const bool once = phase == Phase::exchange || phase == Phase::update;
    sum.add(prices_.stages[stage].items[i] * (once ? 1 : micro_batches));
  }
}

void Family::drop_idle_options(Strategy& strategy) const {
  if (strategy.tensor_overlap && !hides_messages(*plan_, setting_.cluster)) {
    strategy.tensor_overlap = false;
  }
}

Seconds Family::least_step() const {
  return scheduler_.least_length(plan_->strategy.schedule, pricer_.updates());
}

Fits Family::step() {
  if (!exchange_is_run_) {
    pricer_.price_exchange(prices_);
    scheduler_.run_exchange(*plan_, prices_, setting_.profile);
    exchange_is_run_ = true;
  }
  Fits fits;
  fits.memory = memory_;
  fits.timeline = scheduler_.totals(plan_->strategy.schedule);
  const std::size_t slowest = fits.timeline.slowest_stage;
  const auto ranks = static_cast<std::size_t>(plan_->pipeline().ranks);
  CostSum busy;
  for (std::size_t s = slowest % ranks; s < plan_->stages.size(); s += ranks) {
    const std::size_t twin = plan_->twin(s);
    const Stage& stage = plan_->stages[twin];
    busy.add(busy_[s]);
    add_busy(twin, stage.backward_end.items, stage.items.size(), busy);
  }
  fits.step = busy.total();
  fits.step.time = fits.timeline.length;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    fits.time_by_source[s] = busy.time_of(static_cast<Source>(s));
  }
  fits.samples_per_second = static_cast<double>(plan_->training.batch) / fits.timeline.length.value;
  if (const std::int64_t backup = plan_->strategy.backup; backup > 0) {
    const auto replicas = static_cast<double>(plan_->strategy.replicas());
    fits.samples_per_second *= 1 - static_cast<double>(backup) / replicas;
  }
  fits.bottleneck =
      find_bottleneck(fits.timeline, pricer_.bounds()[slowest], plan_->strategy.offload);
  return fits;
}

Infeasible Family::out_of_memory() const {
  const Room room = memory_.scarcer();
  if (room.is_host) {
    return {Constraint::memory,
            "host memory of a rank",
            room.needed.value,
            room.available.value,
            "B",
            "shard the state over more ranks (zero=1 to 3), offload less, or say how much a "
            "host has: --set host.memory=SIZE"};
  }
  const MemoryUse use = memory_.largest();
  const bool activations = use == MemoryUse::activations ||
                           use == MemoryUse::activation_gradients || use == MemoryUse::scores;
  std::string remedy = std::string("most of it is ") + std::string(name_of(use)) + ": ";
  if (activations) {
    remedy += advice_on_activations(setting_.graph, *plan_);
  } else {
    remedy += "shard the weights over more ranks (filter, channel, tensor, pipeline; zero=1 to 3)";
    const bool has_host = setting_.cluster.device.device_class == DeviceClass::gpu;
    if (use == MemoryUse::optimizer && has_host) remedy += ", or offload=optimizer";
  }
  return {Constraint::memory, "device memory", room.needed.value, room.available.value, "B",
          std::move(remedy)};
}

}  // namespace oracle
