#pragma once
// How long do the passes of one layer take, as they do in a training step?
//
// What is timed is what a step does for the pass: the memory of its result is asked for, and the
// kernel runs (validate/executor). What a step has kept since long (inputs and outputs in backward,
// weights, the memory of a forward pass's result) comes in many sets that take turns and are
// evicted where the back end can, so that no cache holds it. What the layer before has just written
// is written again before each call, and in backward the output that a layer keeps is read after
// it, as the gradient of the next layer's weights reads it; and gradients of activations die young,
// so that their memory is that of the last one; of one so large that a few of them fill the caches,
// it is evicted.
//
// A short call takes noticeably longer after other layers, whose code and arguments displaced its
// own, than after itself: a convolution 10 us, a batch norm 6. So a call of less than 0.3 ms is
// timed alone; before it all caches are filled once with something else, and then the kernel of the
// same layer for another number of samples runs, for what kernels of a kind share is warm in a
// step: in the last cache, since others have run on that core.
// Where nothing can be evicted, calls too short for the clock are timed several at a time, each on
// a set of its own.
//
//   pass              timed                             warm
//   forward           y made; kernel.forward            the first input, of a join the last, and
//                                                       the others in the last cache; of a sum of
//                                                       maps only the others
//   backward_data     dx made; kernel.backward_data     dy, and then y if it is kept; nothing of a
//                                                       convolution without bias, whose dy a batch
//                                                       norm writes past the caches
//                     (both: others are read after it where follows_others)
//   backward_weights  kernel.backward_weights           what backward_data leaves, run just before
//   update            Backend::update                   nothing
//   gradient_sum      Backend::add of two inputs        the second; the first where it is small
//                                               tests/microbench/compute/case_bench_test.cpp

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "microbench/kernels/backend.h"
#include "microbench/timing/clocks.h"
#include "microbench/timing/series.h"
#include "microbench/timing/speed_guard.h"
#include "oracle/graph/layer_case.h"

namespace oracle {

/// A pass of a layer; of an update, by which optimizer.
struct BenchPass {
  Pass pass = Pass::forward;
  std::string optimizer;
};

/// The passes of a layer that a step may run and that take time of their own. A gradient of weights
/// comes after that of the input, which has read the same.
std::vector<BenchPass> passes_of(const Layer& layer);

/// Whether others are read and written between the time that a pass is given what it works on and
/// its own: pools and dropouts stand before layers whose weights' gradients come after that of
/// their input, and a convolution reads its input on while it leaves what is normalized next.
bool follows_others(const Layer& layer, Pass pass);

/// How much memory the sets of operands should fill, so that none is in a cache when its turn
/// comes.
struct Rotation {
  std::int64_t bytes = std::int64_t{512} << 20;
  std::size_t most_sets = 192;
};

/// One layer with its operands, ready to be timed.
class CaseBench {
 public:
  /// Runs every pass once on each set, which is the warm-up. Throws InputError where the back end
  /// has no such kernel, EnvironmentError where memory does not suffice.
  CaseBench(Backend& backend, const LayerCase& of, const Rotation& rotation);
  ~CaseBench();

  /// Adds to `series` until it is done, by the processor's clock with its speed. Of short calls the
  /// rule's seconds are those of all that each takes, and their number is enough. Values timed
  /// while the processor was slow are left out; false where the guard let none pass.
  bool time(const BenchPass& pass, Clock clock, const StopRule& rule, SpeedGuard& guard,
            Series& series);

  /// Calls to be timed together, so that the clock can tell their time.
  int calls_at_a_time(const BenchPass& pass, Clock clock);
  /// Seconds of one of so many calls; `ready` runs between preparing the operands and timing.
  double once(const BenchPass& pass, Clock clock, int calls, const std::function<void()>& ready);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oracle
