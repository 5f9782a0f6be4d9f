#pragma once
// How does a bucket of gradients travel whose exchange is more than one collective?
//
// Step by step, as the plan lists them: messages, and what is computed between them.

#include <cstdint>
#include <vector>

#include "validate/program/program.h"

namespace oracle {

class SteppedExchange {
 public:
  virtual ~SteppedExchange() = default;

  /// Adds what each step of a bucket sends from this rank to what its item has sent.
  virtual void count_bytes(const GradientBucket& bucket, std::vector<double>& item_bytes) const = 0;
  /// The bucket that is exchanged from now on; the one before it is over.
  virtual void start(const GradientBucket& bucket) = 0;
  /// Of the plan, whose step is due.
  virtual std::uint32_t item() const = 0;
  /// Whether the step that is due is a message under way, and not computing.
  virtual bool waits() const = 0;
  virtual bool arrived() = 0;
  /// Does the step that is due, or waits for it. Returns whether the bucket is over.
  virtual bool proceed() = 0;
  /// Whether gradients may be packed in any order, if it is the same on all ranks.
  virtual bool in_any_order() const { return false; }
  /// From now on they are packed as they are kept, and in their own order no more.
  virtual void packs_as_kept() {}

 protected:
  SteppedExchange() = default;
  SteppedExchange(const SteppedExchange&) = delete;
  SteppedExchange& operator=(const SteppedExchange&) = delete;
};

}  // namespace oracle
