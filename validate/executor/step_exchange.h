#pragma once
// What becomes of a step's gradients, until its weights are updated?
//
// Buckets leave as the last micro-batch's backward fills them, or when it is over; then weights are
// updated, by this rank, by servers or in shards, and what ranks have of them is fetched, averaged
// or gathered. Whatever an exchange does is time of the bucket that travels.
//                                                tests/validate/equivalence/exchanges_test.cpp

#include <cstdint>
#include <memory>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "oracle/plan/plan.h"
#include "validate/executor/bucket_exchange.h"
#include "validate/executor/gradient_squares.h"
#include "validate/executor/groups.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/step_record.h"
#include "validate/executor/step_times.h"
#include "validate/executor/trained.h"
#include "validate/executor/weight_servers.h"
#include "validate/program/program.h"

namespace oracle {

class StepExchange {
 public:
  /// `steps`: that will be trained; `squares`: of gradients before they leave, or null. The
  /// arguments outlive it.
  StepExchange(const Plan& plan, const Program& program, TrainedLayers& trained,
               StateShards& shards, Backend& backend, Communicator& communicator,
               const RankGroups& groups, StepTimes& times, StepState& step, std::int64_t steps,
               GradientSquares* squares);

  /// Whether gradients may travel in the order in which back ends keep them.
  bool in_any_order() const { return stepped_ == nullptr || stepped_->in_any_order(); }
  void packs_as_kept() {
    if (stepped_ != nullptr) stepped_->packs_as_kept();
  }
  /// Whether all ranks begin a step together.
  bool wait_for_all() const { return servers_ == nullptr || servers_->wait_for_all(); }
  void begin_step();

  /// What servers do that do not wait: between any two operations.
  void keep_up();
  /// An operation is over. `last`: of the last micro-batch, `item` has made gradients of the step.
  void after(std::uint32_t item, bool last);
  bool under_way() const { return buckets_.under_way(); }
  /// Backward is over.
  void finish();
  void update();

  Staleness staleness() const { return servers_ == nullptr ? Staleness{} : servers_->staleness(); }
  /// Elements of a parameter of which this rank has the complete gradient, and that.
  Interval held(LayerId id, std::size_t parameter) const;
  std::vector<float> gradient(LayerId id, std::size_t parameter) const;

 private:
  template <typename Do>
  void exchange(Doing doing, Do what);
  void add(const GradientBucket& bucket);
  void advance();
  bool is_served(LayerId id) const { return servers_ != nullptr && servers_->serve(id); }
  void update_weights();
  void pull();
  void average();
  void gather();

  const Program& program_;
  TrainedLayers& trained_;
  StateShards& shards_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  StepTimes& times_;
  StepState& step_;
  std::unique_ptr<SteppedExchange> stepped_;  ///< null: gradients travel by one collective
  WeightServers* servers_;                    ///< the same, where there are servers
  BucketExchange buckets_;
  GradientSquares* squares_;
};

}  // namespace oracle
