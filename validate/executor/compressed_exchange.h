#pragma once
// How is a bucket of gradients exchanged that travels compressed?
//
// Step by step, as the plan lists them (oracle/plan/exchanges/compressed_bucket.h). What was left
// out of a bucket is kept for the next step of training, in the order in which its gradients are
// packed; where ranks sum parts, the rest of such a sum as well. Ranks take in the same bytes in
// the same order, so that their weights stay bit-equal.
//                                         tests/validate/executor/compressed_exchange_test.cpp

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "validate/compression/codec.h"
#include "validate/executor/groups.h"
#include "validate/executor/stepped_exchange.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

class CompressedExchange final : public SteppedExchange {
 public:
  /// The arguments outlive it. Throws InputError where the back end's buffers are out of reach.
  CompressedExchange(const ChosenExchange& exchange, const TrainedLayers& trained, Backend& backend,
                     Communicator& communicator, const RankGroups& groups);

  void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const override;
  void start(const GradientBucket& bucket) override;
  std::uint32_t item() const override { return step().item; }
  bool waits() const override { return std::holds_alternative<Collective>(step().what); }
  bool arrived() override { return communicator_.done(ticket_); }
  bool proceed() override;

 private:
  /// What was left out so far: of this rank's gradients, and of the sum of its part.
  struct Unsent {
    std::unique_ptr<Buffer> gradients, sum;
  };
  using Floats = std::span<float>;

  const ExchangeStep& step() const { return bucket_->steps[next_]; }
  bool scatters() const { return exchange_.row->route == ExchangeRoute::scatter_gather; }
  std::int64_t elements(const GradientBucket& bucket) const;
  std::int64_t ranks() const { return groups_.at(bucket_->axes).size; }
  /// Bytes of a message to one rank, and how many of them a rank compresses.
  std::int64_t packed(const GradientBucket& bucket) const;
  std::int64_t pieces() const { return scatters() ? ranks() : 1; }
  /// The values of a piece, of which the last ones may have fewer.
  Floats piece(Floats values, std::int64_t number) const;

  std::unique_ptr<Buffer> zeros(std::int64_t bytes) const;

  void take(CompressionStep step);
  void compress();
  void reduce();
  bool merges() const { return codec_.merge != nullptr; }
  void merge();
  bool finds() const { return codec_.places != nullptr; }
  std::int64_t chosen_bytes(const GradientBucket& bucket) const;
  void choose();
  void take_back();
  void restore();
  void send(Collective collective);

  ChosenExchange exchange_;
  const Codec& codec_;
  const TrainedLayers& trained_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  std::map<const GradientBucket*, Unsent> unsent_;
  const GradientBucket* bucket_ = nullptr;  ///< under way
  std::size_t next_ = 0;                    ///< of its steps
  std::unique_ptr<Buffer> given_, arrived_;
  std::vector<std::uint32_t> places_;  ///< of values that travel as they are
  std::unique_ptr<Buffer> sent_;       ///< what this rank gave to be merged
  std::int64_t distance_ = 1;          ///< in places to the partner of the merge that is due
  Ticket ticket_ = 0;
};

}  // namespace oracle
