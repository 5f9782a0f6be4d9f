#pragma once
// How do ranks train that do not wait for each other?
//
// A rank pushes every server its part of a bucket and goes on once each has sent it weights. A
// server is a rank that computes as well: between any two operations it takes what has arrived, a
// gradient at a time, updates its own copy of its part with it and sends that copy back, as soon as
// the rank is no more than `bound` steps ahead of the slowest: stale synchronous parallel, Ho et
// al., NIPS 2013; with any bound Hogwild's successor DistBelief, Dean et al., NIPS 2012. With bound
// 0 each step begins with the weights that all gradients of the one before went into, which plain
// gradient descent makes the synchronous step.
//
// Gradients go by one group, weights by another, so that neither waits for the other's turn. Of
// each rank buckets are taken and sent in their order. In the last step a server stays until
// everybody has what he asked for.
//                                          tests/validate/executor/stale_servers_test.cpp

#include <map>
#include <memory>
#include <vector>

#include "validate/executor/served_buckets.h"
#include "validate/executor/weight_servers.h"

namespace oracle {

class StaleServers final : public WeightServers {
 public:
  /// `steps`: that every rank does. Makes groups, which all ranks do in the same order. See
  /// ServedBuckets.
  StaleServers(const Program& program, const TrainedLayers& trained, Backend& backend,
               Communicator& communicator, const RankGroups& groups, std::int64_t bound,
               std::int64_t steps);

  void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const override;
  void start(const GradientBucket& bucket) override;
  std::uint32_t item() const override { return bucket_->steps[next_].item; }
  bool waits() const override { return next_ == 0; }
  bool arrived() override { return communicator_.done(ticket_); }
  bool proceed() override;

  bool wait_for_all() const override { return false; }
  void begin_step(const OptimizerStep& optimizer) override;
  bool serve(LayerId id) const override { return parts_.serve(id); }
  Interval held(LayerId id, std::size_t parameter) const override;
  void pull(const GradientBucket& bucket, std::vector<double>& item_bytes) override;
  void keep_up() override;
  Staleness staleness() const override { return staleness_; }

 private:
  /// What a server has to do with one rank about its part of one bucket.
  struct Client {
    std::unique_ptr<Buffer> gradient;  ///< arriving; none of the server's own
    std::unique_ptr<Buffer> weights;   ///< leaving; the server's own until pull() has them
    Ticket arriving = 0, leaving = 0;
    bool expected = false;       ///< a gradient is on its way
    bool sends = false;          ///< weights are on their way
    bool asks = false;           ///< it has not been sent weights since its last gradient
    std::int64_t gradients = 0;  ///< taken
    std::int64_t version = 0;    ///< of the weights that it was sent last
  };
  struct Served {
    const GradientBucket* bucket = nullptr;
    std::unique_ptr<Buffer> values;  ///< of this rank's part, the newest
    std::int64_t version = 0;        ///< updates
    std::vector<Client> clients;     ///< by place in the group
    std::int64_t sent = 0;           ///< bytes that were not counted yet
  };

  void expect(Served& served, std::size_t client);
  void take(Served& served, std::size_t client, const float* gradient);
  void answer(Served& served, std::size_t client);
  bool may_go_on(const Served& served, const Client& client) const;
  bool all_are_done() const;
  void wait_while_serving(Ticket ticket);

  ServedBuckets parts_;
  Communicator& communicator_;
  std::int64_t bound_, steps_;
  std::size_t own_ = 0;  ///< place among the ranks
  GroupId pushes_ = 0, pulls_ = 0;
  std::vector<Served> served_;                            ///< buckets that this rank has a part of
  std::vector<std::size_t> next_gradient_, next_answer_;  ///< of served_, by rank
  OptimizerStep optimizer_;
  std::int64_t step_ = 0;
  Staleness staleness_;
  const GradientBucket* bucket_ = nullptr;  ///< under way
  std::size_t next_ = 0;                    ///< of its steps
  std::unique_ptr<Buffer> given_;
  Ticket ticket_ = 0;
};

}  // namespace oracle
