#include "validate/executor/step_times.h"

namespace oracle {

void StepTimes::begin_step() {
  stopwatch_->reset();
  parts_.clear();
}

void StepTimes::count(Mark begin, double& figure, Doing doing) {
  if (!rests_) parts_.push_back({begin, mark(), &figure, doing});
}

void StepTimes::settle() {
  std::vector<const Part*> stretch;
  for (const Part& part : parts_) {
    if (part.doing == Doing::computing) {
      stretch.push_back(&part);
      continue;
    }
    *part.figure += stopwatch_->seconds(part.from, part.to);
    if (part.doing == Doing::passing) continue;
    divide(stretch);
    stretch.clear();
  }
  divide(stretch);
  parts_.clear();
}

void StepTimes::divide(const std::vector<const Part*>& stretch) {
  double took = 0, at_it = 0;
  for (const Part* part : stretch) {
    took += stopwatch_->seconds(part->from, part->to);
    at_it += stopwatch_->seconds_on_device(part->from, part->to);
  }
  if (at_it <= 0) return;  // nothing was computed
  for (const Part* part : stretch) {
    *part->figure += stopwatch_->seconds_on_device(part->from, part->to) * (took / at_it);
  }
}

}  // namespace oracle
