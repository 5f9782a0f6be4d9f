#include "validate/executor/step_replay.h"

#include <string>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {

bool StepReplay::begin_step() {
  const MemoryCount before = std::exchange(found_, backend_.memory());
  const bool finds_the_same = before.takes == found_.takes && before.now == found_.now;
  const std::int64_t behind = steps_++;
  return after_ > 0 && behind >= after_ && finds_the_same && !replays();
}

void StepReplay::record(const std::function<void()>& step) {
  try {
    recording_ = backend_.record(step);
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(std::string("a step cannot be recorded here (") + error.what() +
                           "); train without --graph");
  }
  ensure(replays(), "the back end records");
  peak_memory_ = backend_.memory().peak;
}

}  // namespace oracle
