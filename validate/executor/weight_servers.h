#pragma once
// What do ranks ask of parameter servers, whether these wait for all of them or not?
//
// A bucket's gradients go to the servers step by step (stepped_exchange.h), who update its weights;
// every rank then fetches them.

#include <cstdint>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/executor/stepped_exchange.h"

namespace oracle {

/// How many updates by others a gradient came after the weights that it was computed with.
struct Staleness {
  std::int64_t gradients = 0;  ///< of parts of buckets, as this rank's servers took them
  std::int64_t sum = 0, most = 0;
  bool operator==(const Staleness&) const = default;
};

class WeightServers : public SteppedExchange {
 public:
  /// Whether ranks begin a step together.
  virtual bool wait_for_all() const = 0;
  virtual void begin_step(const OptimizerStep& /*optimizer*/) {}
  /// Whether servers update the layer's weights.
  virtual bool serve(LayerId id) const = 0;
  /// Elements of a parameter of such a layer of which this rank has the whole gradient.
  virtual Interval held(LayerId id, std::size_t parameter) const = 0;
  /// What this rank serves, once all gradients are there.
  virtual void update() {}
  /// Fetches a bucket's weights. Adds what this rank's servers sent to what its items have sent.
  virtual void pull(const GradientBucket& bucket, std::vector<double>& item_bytes) = 0;
  /// Does what is due, where servers do not wait: between any two operations.
  virtual void keep_up() {}
  virtual Staleness staleness() const { return {}; }
};

}  // namespace oracle
