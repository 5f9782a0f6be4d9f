#include "microbench/kernels/cpu/thread_stopwatch.h"

#include <vector>

#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

class ThreadStopwatch final : public Stopwatch {
 public:
  Mark mark() override {
    processor_.push_back(now(Clock::processor));
    return wall_.mark();
  }
  double seconds(Mark from, Mark to) const override { return wall_.seconds(from, to); }
  double seconds_on_device(Mark from, Mark to) const override {
    return processor_.at(to) - processor_.at(from);
  }
  void reset() override {
    wall_.reset();
    processor_.clear();
  }

 private:
  WallStopwatch wall_;
  std::vector<double> processor_;
};

}  // namespace

std::unique_ptr<Stopwatch> thread_stopwatch() { return std::make_unique<ThreadStopwatch>(); }

}  // namespace oracle
