#pragma once
// How much transient memory does each stage hold at each moment of the step?
//
// Each micro-batch walks through memory/liveness.h: it holds what is alive during a layer's pass
// while that runs, what its backward needs between forward and backward, and nothing afterwards. A
// stage holds the sum over the micro-batches that are under way.
//
// Worked: GPipe with 4 micro-batches holds 4 times what one keeps when its last forward ends
//                                                          tests/evaluate/memory_course_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// From `at` on, stage `stage` holds so many activations and activation gradients.
struct MemoryPoint {
  std::uint32_t stage = 0;
  Seconds at;
  Bytes transient;
};

/// Where the bytes change, by time. Needs a timeline with events.
std::vector<MemoryPoint> memory_course(const Graph& graph, const Plan& plan,
                                       const Timeline& timeline);

}  // namespace oracle
