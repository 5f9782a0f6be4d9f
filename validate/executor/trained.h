#pragma once
// What does a rank train, and how are its gradients summed and applied?

#include <memory>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/program/program.h"

namespace oracle {

/// The weights of a rank's stage, initialized by their place in the whole network. `noise` is
/// relative.
class TrainedLayers {
 public:
  TrainedLayers(const Graph& graph, const Program& program, Backend& backend, std::uint64_t seed,
                double noise);

  /// Null for a layer that has none.
  Weights* find(LayerId id) const { return weights_[id].get(); }
  /// How many parameters that is.
  std::size_t parameters(LayerId id) const { return parameters_[id]; }
  std::int64_t elements(LayerId id) const;
  void begin_step();
  void update(Backend& backend, const OptimizerStep& step);

 private:
  std::vector<std::unique_ptr<Weights>> weights_;  ///< by layer
  std::vector<std::size_t> parameters_;            ///< by layer
};

/// Sums the gradients of a program's buckets, several under way at a time.
class BucketExchange {
 public:
  BucketExchange(const TrainedLayers& trained, Backend& backend, Communicator& communicator,
                 const RankGroups& groups);

  /// Returns the bytes that it sends.
  double start(const GradientBucket& bucket);
  /// The bucket started first of those under way; its gradients are summed then.
  const GradientBucket& finish_first();
  bool under_way() const { return !pending_.empty(); }

 private:
  struct Pending {
    const GradientBucket* bucket = nullptr;
    std::unique_ptr<Buffer> buffer;
    Ticket ticket = 0;
  };

  /// Calls `visit(weights, index, begin)` for each gradient of the bucket in its buffer.
  template <typename Visit>
  void for_each_gradient(const GradientBucket& bucket, float* begin, Visit visit) const;

  const TrainedLayers& trained_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  std::vector<Pending> pending_;
};

}  // namespace oracle
