#pragma once
// What does a micro-batch in flight hold on a rank, in one of its stages?
//
// The tensors of its slots, made when first written and freed when the program says that they die,
// and what kernels keep from forward to backward. The kernels of a program are made once for each
// micro-batch size, those that draw random numbers by place once for each micro-batch.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/program/bind.h"

namespace oracle {

/// A program with its kernels.
class BoundProgram {
 public:
  /// Makes all kernels that do not differ by micro-batch, so that a layer that the back end cannot
  /// run is refused before anything else is made.
  BoundProgram(const Graph& graph, const Plan& plan, std::int64_t samples, int rank,
               Backend& backend);

  const Program& program() const { return program_; }
  /// `first_sample` of the mini-batch is the micro-batch's first.
  Kernel& kernel(std::uint32_t index, std::int64_t first_sample);

 private:
  struct Made {
    std::int64_t first_sample = 0;
    std::unique_ptr<Kernel> kernel;
  };

  Pieces pieces_;
  Program program_;
  Backend& backend_;
  std::vector<std::vector<Made>> kernels_;  ///< by spec
};

class MicroBatch {
 public:
  MicroBatch(BoundProgram& bound, Interval samples, Backend& backend);

  const Program& program() const { return bound_.program(); }
  /// One of the program's kernels.
  Kernel& kernel(std::uint32_t index) { return bound_.kernel(index, first_sample()); }
  std::int64_t first_sample() const { return samples_.begin; }
  /// Null for kNoSlot.
  Tensor* find(Slot slot);
  /// The slot's tensor, made now if need be; null for kNoSlot.
  Tensor* make(Slot slot);
  /// The same of what messages bring, in the order in which a kernel would have left it.
  Tensor* make_to_receive(Slot slot);
  /// The tensor of `from` becomes that of `to`, which has none yet.
  void hand_over(Slot from, Slot to) { tensors_[to] = std::move(tensors_[from]); }
  /// The tensor of `from` is that of `to` as well, until either is freed.
  void share(Slot from, Slot to) { tensors_[to] = tensors_[from]; }
  void free(Slot slot) { tensors_[slot].reset(); }
  /// What a kernel keeps from forward to backward.
  Saved* saved(std::uint32_t index);
  /// Frees what is kept for none of these, which are all that is left to run.
  void keep_saved_for(std::span<const Operation> operations);

 private:
  BoundProgram& bound_;
  Interval samples_;
  Backend& backend_;
  std::vector<std::shared_ptr<Tensor>> tensors_;
  std::vector<std::unique_ptr<Saved>> saved_;
  std::vector<bool> asked_;  ///< by kernel, whether `saved_` was made
};

}  // namespace oracle
