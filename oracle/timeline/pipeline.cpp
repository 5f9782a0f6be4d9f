#include "oracle/timeline/pipeline.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr Seconds kUnknown{-1};

/// Runs the turns of all stages as soon as what they need has arrived.
class PipelineRunner {
 public:
  PipelineRunner(std::span<const StageTimes> stages, std::int64_t micro_batches)
      : stages_(stages),
        count_(static_cast<std::size_t>(micro_batches)),
        output_arrives_(stages.size() * count_, kUnknown),
        gradient_arrives_(stages.size() * count_, kUnknown),
        free_(stages.size()),
        forward_link_(stages.size()),
        backward_link_(stages.size()) {}

  /// Runs one turn if it can; false while what it needs is not known.
  bool run(std::size_t stage, Slot& slot) {
    const auto m = static_cast<std::size_t>(slot.turn.micro_batch);
    const Seconds ready = ready_at(stage, slot.turn.forward, m);
    if (ready < Seconds{}) return false;
    const StageTimes& times = stages_[stage];
    const bool last = m + 1 == count_;
    slot.start = std::max(free_[stage], ready);
    slot.end = slot.start + (slot.turn.forward ? times.forward
                             : last            ? times.last_backward
                                               : times.backward);
    free_[stage] = slot.end;
    slot.turn.forward ? send_output(stage, m, slot) : send_gradient(stage, m, slot);
    return true;
  }

 private:
  std::size_t at(std::size_t stage, std::size_t m) const { return stage * count_ + m; }

  Seconds ready_at(std::size_t stage, bool forward, std::size_t m) const {
    if (forward) return stage == 0 ? Seconds{} : output_arrives_[at(stage - 1, m)];
    if (stage + 1 == stages_.size()) return Seconds{};
    return gradient_arrives_[at(stage + 1, m)];
  }

  void send_output(std::size_t stage, std::size_t m, Slot& slot) {
    slot.message_start = std::max(forward_link_[stage], slot.end);
    slot.message_end = slot.message_start + stages_[stage].to_next;
    forward_link_[stage] = slot.message_end;
    output_arrives_[at(stage, m)] = slot.message_end;
  }

  /// The gradient leaves when backward is done; exchange and update need not be.
  void send_gradient(std::size_t stage, std::size_t m, Slot& slot) {
    const Seconds done = slot.start + stages_[stage].backward;
    const Seconds message = stage == 0 ? Seconds{} : stages_[stage - 1].from_next;
    slot.message_start = std::max(backward_link_[stage], done);
    slot.message_end = slot.message_start + message;
    backward_link_[stage] = slot.message_end;
    gradient_arrives_[at(stage, m)] = slot.message_end;
  }

  std::span<const StageTimes> stages_;
  std::size_t count_;
  std::vector<Seconds> output_arrives_, gradient_arrives_;  ///< per stage that sent it, micro-batch
  std::vector<Seconds> free_, forward_link_, backward_link_;
};

}  // namespace

PipelineRun run_pipeline(PipelineSchedule schedule, std::span<const StageTimes> stages,
                         std::int64_t micro_batches) {
  const auto count = static_cast<std::int64_t>(stages.size());
  PipelineRun run(stages.size());
  for (std::int64_t s = 0; s < count; ++s) {
    for (const Turn& turn : stage_order(schedule, count, s, micro_batches)) {
      run[static_cast<std::size_t>(s)].push_back({turn, {}, {}, {}, {}});
    }
  }
  PipelineRunner runner(stages, micro_batches);
  std::vector<std::size_t> next(stages.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      while (next[s] < run[s].size() && runner.run(s, run[s][next[s]])) {
        ++next[s];
        moved = true;
      }
    }
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    ensure(next[s] == run[s].size(), "run_pipeline: the schedule waits for itself");
  }
  return run;
}

}  // namespace oracle
