#pragma once
// Which items of a stage exchange its gradients and update its weights?
//
// The gradients that backward leaves (Stage::backward_end) go into buckets of at least the
// strategy's size; with overlap each bucket is exchanged when its last gradient is there, without
// when all of backward is over, as it is or compressed (exchanges/). From there it goes on to the
// host, where that is who updates weights (offload.h). One update of all weights waits for
// everything. Nothing else in a plan depends on bucket, overlap and exchange, so the
// variants of a strategy that differ in these only have this part written again.
//                                              tests/plan/exchange_test.cpp, partition_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

// Which weight gradients are exchanged together, and when is each bucket ready?
//
// Backward makes gradients ready one by one. Those that are summed over the same mesh axes are
// collected until a bucket holds at least the strategy's size; it is ready when its last gradient
// is.

struct Bucket {
  Transfer transfer;
  std::uint32_t ready_after = 0;         ///< item that makes its last gradient
  Operands gradients{};                  ///< its tensors
  std::uint32_t summed_after = kNoItem;  ///< the last within backward that sums one of them
  Bytes to_host{};                       ///< of the rank's part, where the host updates it
};

class Buckets {
 public:
  explicit Buckets(Bytes least) : least_(least) {}

  /// Forgets all gradients and makes room for so many; buckets are to hold at least `least`.
  void restart(Bytes least, std::size_t gradients);

  /// Adds one gradient; those of the same axes come in the order of their operands.
  void add(const Gradient& gradient);

  /// All buckets in the order they become ready; call once, after the last gradient. Valid until
  /// the next restart().
  std::span<const Bucket> finish();

 private:
  Bytes least_;
  std::vector<Bucket> open_;
  std::vector<Bucket> full_;
};

/// Lists the gradients that backward leaves, those that are summed over the same axes together, so
/// that a bucket is a range.
void list_gradients(Stage& stage);

/// Fills BackwardEnd::copies of a stage of `plan`.
void list_copies(const Plan& plan, Stage& stage);

/// Writes exchange and update behind the backward items, in place of those that were there.
/// `buckets` is room to work in: once it and the stage have held as much, nothing is allocated.
void emit_exchange(const Strategy& strategy, Stage& stage, Buckets& buckets);

}  // namespace oracle
