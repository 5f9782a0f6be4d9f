#pragma once
// How do ranks exchange gradients and weights through servers that wait for all of them?
//
// Each rank pushes every server its part of a bucket (served_buckets.h); a server adds to its own
// what arrives, in the order of the ranks, updates its part, and every rank pulls all parts. So
// weights stay bit-equal, and what a server holds of a gradient is the sum. A server keeps its part
// of the weights apart from those that it trains with. Messages are point to point.
//                                        tests/validate/executor/server_exchange_test.cpp

#include <map>
#include <memory>
#include <vector>

#include "validate/executor/served_buckets.h"
#include "validate/executor/weight_servers.h"

namespace oracle {

class ServerExchange final : public WeightServers {
 public:
  /// See ServedBuckets.
  ServerExchange(const Program& program, const TrainedLayers& trained, Backend& backend,
                 Communicator& communicator, const RankGroups& groups)
      : parts_(program, trained, backend, communicator, groups), communicator_(communicator) {}

  void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const override;
  void start(const GradientBucket& bucket) override;
  std::uint32_t item() const override { return bucket_->steps[next_].item; }
  bool waits() const override { return next_ == 0; }
  bool arrived() override { return communicator_.done(ticket_); }
  bool proceed() override;

  bool wait_for_all() const override { return true; }
  void begin_step(const OptimizerStep& optimizer) override { optimizer_ = optimizer; }
  bool serve(LayerId id) const override { return parts_.serve(id); }
  Interval held(LayerId id, std::size_t parameter) const override {
    return parts_.own(id, parameter);
  }
  void update() override;
  void pull(const GradientBucket& bucket, std::vector<double>& item_bytes) override;

 private:
  void add_up();
  void update(const GradientBucket& bucket);

  ServedBuckets parts_;
  Communicator& communicator_;
  std::map<const GradientBucket*, std::unique_ptr<Buffer>> served_;  ///< weights of its parts
  OptimizerStep optimizer_;
  const GradientBucket* bucket_ = nullptr;  ///< under way
  std::size_t next_ = 0;                    ///< of its steps
  std::unique_ptr<Buffer> given_, arrived_;
  Ticket ticket_ = 0;
};

}  // namespace oracle
