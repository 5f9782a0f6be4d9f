#include "validate/checkpoint/saver.h"

#include <chrono>
#include <utility>

#include "validate/checkpoint/folder.h"

namespace oracle {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double write_timed(const std::filesystem::path& folder, const Checkpoint& checkpoint) {
  const auto start = Clock::now();
  add_checkpoint(folder, checkpoint);
  return seconds_since(start);
}

}  // namespace

CheckpointSaver::CheckpointSaver(const CheckpointRequest& request, CheckpointHead head,
                                 const StateCollector& collector, const Executor& executor,
                                 Communicator& communicator)
    : request_(request),
      head_(std::move(head)),
      collector_(collector),
      executor_(executor),
      communicator_(communicator) {
  if (communicator.rank() == 0) remove_halves(request.folder);
}

void CheckpointSaver::after(std::int64_t step, std::int64_t steps) {
  const bool due = step == steps || (request_.every > 0 && step % request_.every == 0);
  if (!due) return;
  const auto start = Clock::now();
  const StepCounters counters = executor_.counters();
  Checkpoint checkpoint{head_, collector_.collect()};
  checkpoint.head.step = step;
  checkpoint.head.updates = counters.updates;
  checkpoint.head.loss_scale = counters.loss_scale.value;
  checkpoint.head.good_steps = counters.loss_scale.good;
  if (communicator_.rank() == 0) {
    times_.bytes = checkpoint.bytes();
    write(std::move(checkpoint));
  }
  if (!request_.asynchronous) communicator_.barrier("a checkpoint on the medium");
  times_.waited.push_back(seconds_since(start));
}

void CheckpointSaver::write(Checkpoint checkpoint) {
  if (!request_.asynchronous) {
    times_.written.push_back(write_timed(request_.folder, checkpoint));
    return;
  }
  finish();
  under_way_ =
      std::async(std::launch::async, [folder = request_.folder, snapshot = std::move(checkpoint)] {
        return write_timed(folder, snapshot);
      });
}

void CheckpointSaver::finish() {
  if (under_way_.valid()) times_.written.push_back(under_way_.get());
}

}  // namespace oracle
