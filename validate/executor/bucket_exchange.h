#pragma once
// How are the gradients of a rank summed, bucket by bucket, while backward goes on?
//
// One bucket travels at a time, in the order they become ready, as the timeline prices them
// (oracle/timeline): its gradients are copied into a buffer, summed over the bucket's ranks and
// copied back, and the next one takes its place. Of layers in shards (state_shards.h) a rank gets
// the sum of its own shard only; the rest of the gradient stays what it was. So one bucket is held
// beside the gradients themselves, however many are ready (oracle/memory/footprint.h).
//                                              tests/validate/executor/bucket_exchange_test.cpp

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/stepped_exchange.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

class BucketExchange {
 public:
  /// `stepped`: by which gradients travel otherwise than by one collective.
  BucketExchange(const TrainedLayers& trained, const StateShards& shards, Backend& backend,
                 Communicator& communicator, const RankGroups& groups,
                 SteppedExchange* stepped = nullptr);

  /// Adds what a bucket sends from this rank to what its items have sent.
  void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const;

  /// The bucket's gradients are there. It leaves now or when those before it have arrived.
  void add(const GradientBucket& bucket);
  bool under_way() const { return !waiting_.empty(); }
  /// The bucket that travels or travels next. Requires under_way().
  const GradientBucket& first() const { return *waiting_.front(); }
  /// Of the plan, which is under way.
  std::uint32_t item() const;
  /// Whether something is to be computed of the first bucket now, and nothing travels.
  bool computes() const { return under_way() && stepped_ && !stepped_->waits(); }
  /// Takes the first bucket in if it has arrived, and sends the next one off.
  void advance();
  /// Waits for what travels of the first bucket, and takes it in and sends the next one off, or
  /// sends its shards to their copies; or does what is to be computed of it.
  void finish_first();

 private:
  double sent_bytes(const GradientBucket& bucket) const;
  double sent_to_replicas(const GradientBucket& bucket) const;
  std::int64_t elements(const GradientBucket& bucket) const;
  void start();
  void start_scatter(const GradientBucket& bucket);
  /// What travelled has arrived: its shards are to be summed over replicas, or all is done.
  void arrived();
  void collect();
  void take_own_shards(const GradientBucket& bucket);
  bool in_shards(const GradientBucket& bucket) const {
    return shards_.in_shards(bucket.layers.front());
  }

  /// Calls `visit(weights, index, begin)` for each gradient of the bucket in its buffer.
  template <typename Visit>
  void for_each_gradient(const GradientBucket& bucket, std::byte* begin, Visit visit) const;

  const TrainedLayers& trained_;
  const StateShards& shards_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  Element type_;
  std::int64_t element_;                       ///< its bytes
  std::deque<const GradientBucket*> waiting_;  ///< the first one travels
  std::unique_ptr<Buffer> buffer_;             ///< of the one that travels
  std::unique_ptr<Buffer> taken_;              ///< its shards
  bool summed_ = false;                        ///< whether these travel to replicas
  std::vector<Ticket> tickets_;
  SteppedExchange* stepped_;  ///< null: gradients travel as they are
};

}  // namespace oracle
