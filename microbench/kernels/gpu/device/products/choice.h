#pragma once
// Which of cuDNN's algorithms and engines runs a pass? The fastest that was measured, of those that
// fit the workspace and give the same bits in every run; one that does not only where no other
// works.
//                                               tests/microbench/kernels/gpu/choice_test.cpp

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace oracle::gpu {

class EnginePlan;

/// One algorithm of a call as cuDNN measured it, or an engine of its graph API as it was measured
/// here.
struct Candidate {
  int algorithm = 0;
  int math = 0;  ///< cuDNN's number
  bool works = false;
  bool deterministic = false;
  double seconds = 0;
  std::int64_t workspace = 0;
  std::shared_ptr<const EnginePlan> plan = nullptr;  ///< of an engine
};

std::optional<Candidate> choose(std::span<const Candidate> candidates, std::int64_t most_workspace);

}  // namespace oracle::gpu
