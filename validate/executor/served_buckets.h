#pragma once
// Which part of a bucket does a server have, and how does it update it?
//
// A bucket's values in plain order are cut into as many equal parts as there are servers, the last
// one filled up with zeros; servers lie evenly among the ranks (oracle/plan/exchanges/servers.h).
// A server has moments of its part alone.
//
// Worked: 40 values, 3 servers of 4 ranks: parts of 14, of ranks 0, 1 and 2
//                                         tests/validate/executor/server_exchange_test.cpp

#include <map>
#include <memory>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

class ServedBuckets {
 public:
  /// The arguments outlive it. Throws InputError where the back end's buffers are out of reach.
  ServedBuckets(const Program& program, const TrainedLayers& trained, Backend& backend,
                Communicator& communicator, const RankGroups& groups);

  const std::vector<GradientBucket>& all() const { return program_.buckets; }
  const RankGroup& group(const GradientBucket& bucket) const { return groups_.at(bucket.axes); }
  /// Whether servers update the layer's weights.
  bool serve(LayerId id) const { return places_.count(trained_.owner(id)) > 0; }
  /// Elements of a parameter of such a layer that are in this rank's part.
  Interval own(LayerId id, std::size_t parameter) const;

  /// Values of each part.
  std::int64_t part(const GradientBucket& bucket) const;
  std::int64_t part_bytes(const GradientBucket& bucket) const;
  /// This rank's place in the bucket's group, and the part that it serves; -1: none.
  std::int64_t own_place(const GradientBucket& bucket) const;
  std::int64_t own_part(const GradientBucket& bucket) const;
  /// The servers but this rank, each with its part of the bucket's values from `begin` on.
  std::vector<Peer> servers(const GradientBucket& bucket, float* begin) const;
  /// The ranks but this one, each with a place of a part from `begin` on.
  std::vector<Peer> others(const GradientBucket& bucket, float* begin) const;

  std::unique_ptr<Buffer> zeros(std::int64_t count) const;
  std::unique_ptr<Buffer> gradients(const GradientBucket& bucket) const;
  /// Of this rank's part alone.
  std::unique_ptr<Buffer> own_weights(const GradientBucket& bucket) const;
  std::unique_ptr<Buffer> own_gradients(const GradientBucket& bucket) const;
  void write_weights(const GradientBucket& bucket, const std::unique_ptr<Buffer>& from) const;
  /// Of this rank's part; the rest stays.
  void write_own_gradients(const GradientBucket& bucket, const std::unique_ptr<Buffer>& from) const;
  /// Of this rank's part.
  void update(const GradientBucket& bucket, float* values, const float* gradient,
              const OptimizerStep& step);

 private:
  /// Where a layer's values begin among its bucket's.
  struct Place {
    const GradientBucket* bucket = nullptr;
    std::int64_t begin = 0;
  };
  struct Moments {
    std::unique_ptr<Buffer> first, second;
  };

  /// Calls `visit(weights, index, own, place)` for each parameter that has values in this rank's
  /// part: which of its own, and where they begin in the part.
  template <typename Visit>
  void for_each_own(const GradientBucket& bucket, Visit visit) const;
  template <typename Read>
  std::unique_ptr<Buffer> own_values(const GradientBucket& bucket, Read read) const;

  const Program& program_;
  const TrainedLayers& trained_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  std::map<LayerId, Place> places_;  ///< by the layer that owns the weights
  std::map<const GradientBucket*, Moments> moments_;
};

}  // namespace oracle
