#pragma once
// What does a recording amount to, for a step of the mean?
//
// A step goes from the first operation of the GPU that the host launched behind one mark to the
// first behind the next: what the host does ahead of the GPU moves no boundary. Marks are, as far
// as the trace has them,
//
//   1. ProfilerStep#N      of prof.step(); of one alone the mark itself, to the end of what it
//   launched
//   2. Optimizer.step      of every optimizer of PyTorch since 1.9
//   3. repeated kernels    the shortest sequence of computing kernels that the recording repeats
//   4. the whole recording, as one step
//
// Of a step's operations C compute, N communicate and M copy; |X| is how long at least one of X
// ran:
//
//   compute |C|   communication |N|   exposed communication |C∪N| − |C|
//   exposed copies |C∪N∪M| − |C∪N|    idle: the step less |C∪N∪M|
//
// so that compute, exposed communication, exposed copies and idle add up to the step. Communication
// holds what NCCL's kernels wait for other ranks. Classes are sums of durations.
//
// Worked: compute 0–6 ms, NCCL 4–9 ms, a copy 8–10 ms, the next step at 12 ms: computing 6, exposed
// communication 3, exposed copies 1, idle 2                     tests/record/traced_step_test.cpp

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/record/kernel_class.h"
#include "oracle/record/trace.h"

namespace oracle {

enum class StepMarks : std::uint8_t { profiler, optimizer, repetition, none };
std::string_view name_of(StepMarks marks);

/// Time and number of some operations in a step, in the mean.
struct TracedTime {
  Seconds time;
  double count = 0;
};

struct TracedName {
  std::string name;
  TracedTime of;
};

struct TracedStep {
  StepMarks marks = StepMarks::none;
  std::size_t steps = 1;
  Seconds step, low, high;  ///< mean, 10th and 90th percentile
  Seconds compute, communication, exposed_communication, copies, exposed_copies, idle;
  std::array<TracedTime, kKernelClassCount> classes{};  ///< by KernelClass
  std::vector<TracedName> collectives;                  ///< "all_reduce", longest first
  std::vector<TracedName> unknown;                      ///< kernels of no class, longest first
  double linked = 0;        ///< share of kernels whose operation of the host is known
  Seconds launch_interval;  ///< median from one launch to the next

  const TracedTime& of(KernelClass one) const { return classes[static_cast<std::size_t>(one)]; }
};

/// Of a trace with one kernel at least, whose operations took time.
TracedStep traced_step(const Trace& trace);

/// The class of each of the trace's operations.
std::vector<KernelClass> classes_of(const Trace& trace);

/// The steps that it takes the mean of, on the GPU's time: one at least.
struct TracedSteps {
  StepMarks marks = StepMarks::none;
  std::vector<TraceSpan> spans;
};
TracedSteps steps_of(const Trace& trace, const std::vector<KernelClass>& classes);

}  // namespace oracle
