#include "microbench/kernels/gpu/device/runtime/stopwatch.h"

#include <vector>

namespace oracle::gpu {
namespace {

/// Events are made once and set again in each step.
class EventStopwatch final : public Stopwatch {
 public:
  explicit EventStopwatch(Context& context) : context_(context) {}
  ~EventStopwatch() override {
    for (const cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  }

  Mark mark() override {
    if (set_ == events_.size()) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    check(cudaEventRecord(events_[set_], context_.stream()), "cudaEventRecord");
    return set_++;
  }

  double seconds(Mark from, Mark to) const override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_.at(from), events_.at(to)),
          "cudaEventElapsedTime");
    return double{milliseconds} / 1e3;
  }

  void reset() override { set_ = 0; }

 private:
  Context& context_;
  std::vector<cudaEvent_t> events_;
  std::size_t set_ = 0;
};

}  // namespace

std::unique_ptr<Stopwatch> event_stopwatch(Context& context) {
  return std::make_unique<EventStopwatch>(context);
}

}  // namespace oracle::gpu
