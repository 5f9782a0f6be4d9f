#pragma once
// In which layouts does a layer's output, or its gradient, exist so far?

#include <cstdint>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// A tensor in one layout, `narrow` in fewer bits (quantizer.h).
struct Version {
  Layout layout{};
  TensorId tensor = kNoTensor;
  bool narrow = false;
};

/// Versions of every layer's tensor, in the order they were made; one pool, so that a stage costs
/// no more than what it touches.
class Versions {
 public:
  explicit Versions(std::size_t tensors) : first_(tensors, kNone), last_(tensors, kNone) {}

  void add(std::uint32_t tensor, const Version& version) {
    const auto node = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back({version, tensor, kNone});
    (first_[tensor] == kNone ? first_[tensor] : pool_[last_[tensor]].next) = node;
    last_[tensor] = node;
  }

  bool empty(std::uint32_t tensor) const { return first_[tensor] == kNone; }

  /// The first version for which `wanted` is true, or null; valid until the next add().
  template <typename Predicate>
  const Version* find(std::uint32_t tensor, Predicate wanted) const {
    for (std::uint32_t n = first_[tensor]; n != kNone; n = pool_[n].next) {
      if (wanted(pool_[n].version)) return &pool_[n].version;
    }
    return nullptr;
  }

  /// Forgets all versions of a tensor.
  void drop(std::uint32_t tensor) { first_[tensor] = kNone; }
  /// Forgets those but the first for which `unwanted` is true.
  template <typename Predicate>
  void drop_if(std::uint32_t tensor, Predicate unwanted) {
    if (first_[tensor] == kNone) return;
    last_[tensor] = first_[tensor];
    for (std::uint32_t n = pool_[first_[tensor]].next; n != kNone; n = pool_[n].next) {
      if (unwanted(pool_[n].version)) continue;
      pool_[last_[tensor]].next = n;
      last_[tensor] = n;
    }
    pool_[last_[tensor]].next = kNone;
  }

  /// Moves all versions of a tensor to `out`.
  void take(std::uint32_t tensor, std::vector<Version>& out) {
    out.clear();
    for (std::uint32_t n = first_[tensor]; n != kNone; n = pool_[n].next) {
      out.push_back(pool_[n].version);
    }
    first_[tensor] = kNone;
  }

  void clear() {
    for (const Node& node : pool_) first_[node.tensor] = kNone;
    pool_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    Version version;
    std::uint32_t tensor;
    std::uint32_t next;
  };

  std::vector<std::uint32_t> first_, last_;
  std::vector<Node> pool_;
};

}  // namespace oracle
