#pragma once
// What does a rank keep of state in shards, and how do weights become whole?
//
// A layer's parameters in plain order, one behind the other, are cut into equal shards, the last
// one filled up with zeros; member m of the ranks that sum its gradient has shard m.
//
//   zero  a rank keeps of a layer
//   1     values and gradients whole, the optimizer's state of its shard
//   2     values whole, gradient and state of its shard
//   3     value, gradient and state of its shard
//
// Each layer travels in a collective of its own; those of one item are under way together.
//
// Worked: 10 parameters over 4 ranks: shards of 3; the last rank's holds one of them
//                                                 tests/validate/executor/state_shards_test.cpp

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/executor/trained.h"
#include "validate/program/program.h"

namespace oracle {

/// Of a value, as ranks hold weights and gradients.
inline constexpr std::int64_t kFloatBytes = sizeof(float);

/// One of the arrays that a parameter's next update starts from.
enum class StateArray : std::uint8_t { value, first_moment, second_moment };

inline float* floats_of(const std::unique_ptr<Buffer>& buffer) {
  return buffer ? static_cast<float*>(buffer->data()) : nullptr;
}

class StateShards {
 public:
  /// `groups`: of forward and backward; `exchange_groups`: of what follows. Throws InputError where
  /// the back end has no shards.
  StateShards(const Plan& plan, const Program& program, const TrainedLayers& trained,
              Backend& backend, Communicator& communicator, const RankGroups& groups,
              const RankGroups& exchange_groups);

  /// Elements of the layer's shard on each rank, and of all of them; of a layer that is not in
  /// shards what it has.
  std::int64_t part(LayerId id) const;
  std::int64_t all_parts(LayerId id) const;
  bool in_shards(LayerId id) const { return find(id) != nullptr; }
  /// The shard's place among the layer's.
  std::int64_t own(LayerId id) const;
  /// Which elements of a parameter this rank has the complete gradient of.
  Interval held(LayerId id, std::size_t parameter) const;
  /// Those of its gradient.
  std::vector<float> gradient(LayerId id, std::size_t parameter) const;
  /// Those of an array of its state; of a moment that no update has made yet, zeros.
  std::vector<float> state(LayerId id, std::size_t parameter, StateArray array) const;
  /// Takes its part of `values`, which are all of the rank's elements of the parameter.
  void set_state(LayerId id, std::size_t parameter, StateArray array,
                 const std::vector<float>& values);

  void begin_step();
  /// Each returns the bytes sent.
  double gather(const WeightGather& gather);
  double scatter(const GradientScatter& scatter);
  double sum(const ShardSum& sum);
  double gather_updated(const WeightGather& gather);
  void release(const WeightGather& gather);
  /// The shards of the layers of a span.
  void update(const OptimizerStep& step, const LayerSpan& layers);

 private:
  struct Shard {
    std::int64_t members = 1, own = 0, part = 0;
    std::unique_ptr<Buffer> value, gradient, first_moment, second_moment;
    int uses = 0;              ///< gathers that are not released
    bool accumulates = false;  ///< of the gradient

    std::int64_t all() const { return members * part; }
    std::unique_ptr<Buffer>& of(StateArray array);
    const std::unique_ptr<Buffer>& of(StateArray array) const;
  };

  /// Where in its shard the elements of a parameter begin that this rank holds.
  std::int64_t place(LayerId id, std::size_t parameter) const;
  Shard& shard(LayerId id) { return shards_.at(trained_.owner(id)); }
  const Shard* find(LayerId id) const;
  std::unique_ptr<Buffer> floats(std::int64_t count) const;
  std::unique_ptr<Buffer> zeros(std::int64_t count) const;
  void add_to_gradients(const std::vector<LayerId>& layers);
  void read_whole(LayerId id, bool gradients, float* to) const;
  void write_whole(LayerId id, const float* from) const;
  void make_moments(Shard& shard, const OptimizerStep& step) const;
  void update(LayerId id, Shard& shard, const OptimizerStep& step) const;

  const TrainedLayers& trained_;
  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  const RankGroups& exchange_groups_;
  std::map<LayerId, Shard> shards_;  ///< by the layer that owns the weights
  std::unique_ptr<Buffer> taken_;    ///< what a scatter made, until it is added
};

}  // namespace oracle
