#pragma once
// Which weight gradients are exchanged together, and when is each bucket ready?
//
// Backward makes gradients ready one by one. Those that are summed over the same mesh axes are
// collected until a bucket holds at least the strategy's size; it is ready when its last gradient
// is.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

struct Bucket {
  Transfer transfer;
  std::uint32_t ready_after = 0;  ///< item that makes its last gradient
  Operands gradients{};           ///< its tensors
};

class Buckets {
 public:
  explicit Buckets(Bytes least) : least_(least) {}

  /// Forgets all gradients and makes room for so many; buckets are to hold at least `least`.
  void restart(Bytes least, std::size_t gradients);

  /// Adds one gradient; nothing is exchanged that is summed over no axes. Those of the same axes
  /// come in the order of their operands.
  void add(const Gradient& gradient);

  /// All buckets in the order they become ready; call once, after the last gradient. Valid until
  /// the next restart().
  std::span<const Bucket> finish();

 private:
  Bytes least_;
  std::vector<Bucket> open_;
  std::vector<Bucket> full_;
};

}  // namespace oracle
