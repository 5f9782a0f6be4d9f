#pragma once
// From which step on is a step replayed from a recording (Backend::record), and what does it hold?
//
// From the first that comes behind `after` others, if no one asked the device for memory since the
// last of them began, nor keeps more than before. A step that asked may have left memory in such
// parts that the next asks again; behind one that did not, the next finds what that one found.
//
// Worked: 2, and steps 1 to 3 ask for memory → step 5 is the first that is replayed
//                                     tests/validate/executor/replay/emulated_gpu_test.cpp

#include <cstdint>
#include <functional>
#include <memory>

#include "microbench/kernels/backend.h"

namespace oracle {

class StepReplay {
 public:
  /// 0: none is. The back end outlives it.
  StepReplay(Backend& backend, std::int64_t after) : backend_(backend), after_(after) {}

  /// Before a step. Whether it is to be recorded: then `record` comes next.
  bool begin_step();
  /// What the step gives to the device, which stays undone. Throws EnvironmentError where the
  /// device's libraries cannot have it recorded.
  void record(const std::function<void()>& step);
  /// Whether the step under way is replayed.
  bool replays() const { return recording_ != nullptr; }
  void replay() { recording_->replay(); }
  /// A replayed step takes and frees nothing; what it holds is what the recorded one held.
  std::int64_t peak_memory() const { return peak_memory_; }

 private:
  Backend& backend_;
  std::int64_t after_;
  std::int64_t steps_ = 0;        ///< that began
  MemoryCount found_;             ///< when the last of them began
  std::int64_t peak_memory_ = 0;  ///< of the recorded step
  std::unique_ptr<Recording> recording_;
};

}  // namespace oracle
