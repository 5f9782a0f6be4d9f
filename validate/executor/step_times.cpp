#include "validate/executor/step_times.h"

namespace oracle {

void StepTimes::begin_step() {
  stopwatch_->reset();
  parts_.clear();
}

void StepTimes::count(Mark begin, double& figure) {
  if (!rests_) parts_.push_back({begin, mark(), 1, &figure});
}

void StepTimes::count(Mark begin, double& figure, double& other) {
  if (rests_) return;
  count(begin, figure);
  Part lost = parts_.back();
  lost.sign = -1;
  lost.figure = &other;
  parts_.push_back(lost);
}

void StepTimes::settle() {
  for (const Part& part : parts_) {
    *part.figure += part.sign * stopwatch_->seconds(part.from, part.to);
  }
  parts_.clear();
}

}  // namespace oracle
