#pragma once
// How are the many variants of a strategy evaluated at the price of one?
//
// The cuts, the mesh and the micro-batches of a strategy decide what forward and backward do: its
// family. Bucket size, exchange algorithm, overlap and pipeline schedule only decide when gradients
// are exchanged and how many micro-batches are in flight: a variant. A family is planned, priced
// and run once; a variant writes, prices and runs its exchange. evaluate() is a family with one
// variant, a search takes many.
//
// Worked: ResNet-50 over 8 ranks has 474 items of forward and backward, which all variants share,
// and 5 of exchange and update in buckets of 25 MiB             tests/evaluate/family_test.cpp

#include <optional>
#include <string_view>
#include <vector>

#include "oracle/cost/plan_pricer.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/evaluate/one_stage.h"
#include "oracle/plan/exchange.h"
#include "oracle/timeline/scheduler.h"

namespace oracle {

/// The options of a strategy that leave forward and backward of a micro-batch as they are.
struct Variant {
  Bytes bucket;
  std::string_view exchange;  ///< of something that outlives the variant: the table of algorithms
  bool overlap = true;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  bool operator==(const Variant&) const = default;
};

/// The variant that `strategy` is, which must outlive it.
Variant variant_of(const Strategy& strategy);

/// `strategy` with the options of `variant`.
void put(const Variant& variant, Strategy& strategy);

/// Evaluates one family after the other and keeps its room and what it has learnt of kernels.
class Family {
 public:
  /// What the setting refers to must outlive it. `twins`: bare for totals alone.
  explicit Family(const Setting& setting, Twins twins = Twins::bare);

  /// No step of the strategy is shorter with each of these numbers of stages on a rank, of one
  /// without a pipeline whatever it computes again; 0 where to know more is as dear as plan().
  std::vector<Seconds> least_steps(const Strategy& strategy, const Training& training,
                                   std::span<const std::int64_t> chunks);

  /// Plans another family. Returns why it cannot be planned, or nullptr: then `strategy` is its
  /// chosen variant.
  const Infeasible* plan(const Strategy& strategy, const Training& training);

  /// Takes another variant of the family. Allocates nothing.
  void choose(const Variant& variant);

  /// Of the chosen variant.
  const Footprint& memory() const { return memory_; }
  /// Of the rank that has that stage.
  Footprint memory_of(std::size_t stage) const;
  /// Of one rank.
  Bytes rank_memory() const { return setting_.cluster.rank_memory(); }
  bool fits() const { return memory_.fits(); }
  Infeasible out_of_memory() const;

  /// Prices and runs what all variants in these schedules share; the last step before least_step()
  /// and step() of any of them.
  void measure(std::span<const PipelineSchedule> schedules);

  /// No variant in the chosen one's schedule has a shorter step.
  Seconds least_step() const;

  /// All numbers of the chosen variant, whether it fits or not. Allocates nothing.
  Fits step();

  const Plan& plan() const { return *plan_; }

  /// Takes out of a strategy of the family what was turned on and has no effect: tensor_overlap.
  void drop_idle_options(Strategy& strategy) const;

  // Of the variant whose step() came last.
  const Prices& prices() const { return prices_; }
  const Scheduler& scheduler() const { return scheduler_; }

 private:
  OneStage& one_stage();
  Strategy staged(const Strategy& strategy, const Training& training);
  void take_memory();
  void add_busy(std::size_t stage, std::size_t begin, std::size_t end, CostSum& sum) const;

  Setting setting_;
  Twins twins_;
  std::optional<Plan> plan_;
  std::optional<Infeasible> refusal_;
  Buckets buckets_{Bytes{}};
  std::vector<StageNeed> needs_;
  Footprint memory_;
  PlanPricer pricer_;
  std::optional<OneStage> one_stage_;  ///< once it is asked for
  Prices prices_;
  Scheduler scheduler_;
  std::vector<CostSum> busy_;     ///< per stage: of forward and backward over the whole step
  bool exchange_is_run_ = false;  ///< of the chosen variant
};

}  // namespace oracle
