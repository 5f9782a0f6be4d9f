#pragma once
// How is a bucket of gradients exchanged that travels compressed?
//
// Step by step, as the plan lists them (oracle/plan/exchanges/compressed_bucket.h): what is
// computed (microbench/compression/compressed_gradients.h), and messages. Ranks take in the same
// bytes in the same order, so that their weights stay bit-equal.
//                                         tests/validate/executor/compressed_exchange_test.cpp

#include <map>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/compression/compressed_gradients.h"
#include "microbench/kernels/backend.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "validate/executor/groups.h"
#include "validate/executor/stepped_exchange.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

class CompressedExchange final : public SteppedExchange {
 public:
  /// `buckets`: all that will travel. The arguments outlive it. Throws InputError where the back
  /// end's buffers are out of reach.
  CompressedExchange(const ChosenExchange& exchange, const std::vector<GradientBucket>& buckets,
                     const TrainedLayers& trained, Backend& backend, Communicator& communicator,
                     const RankGroups& groups);

  void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const override;
  void start(const GradientBucket& bucket) override;
  std::uint32_t item() const override { return step().item; }
  bool waits() const override { return std::holds_alternative<Collective>(step().what); }
  bool arrived() override { return communicator_.done(ticket_); }
  bool proceed() override;
  bool in_any_order() const override { return true; }
  void packs_as_kept() override;

 private:
  const ExchangeStep& step() const { return bucket_->steps[next_]; }
  const RankGroup& group() const { return groups_.at(bucket_->axes); }
  CompressedGradients gradients_of(const GradientBucket& bucket) const;
  void send(Collective collective);

  ChosenExchange exchange_;
  const TrainedLayers& trained_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  std::map<const GradientBucket*, CompressedGradients> buckets_;

  const GradientBucket* bucket_ = nullptr;
  CompressedGradients* gradients_ = nullptr;  ///< of the bucket
  std::size_t next_ = 0;                      ///< of its steps
  std::int64_t distance_ = 1;                 ///< to the partner that is merged next
  Ticket ticket_ = 0;
};

}  // namespace oracle
