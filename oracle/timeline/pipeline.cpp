#include "oracle/timeline/pipeline.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr Seconds kUnknown{-1};

/// Runs the turns of all stages as soon as what they need has arrived.
class PipelineRunner {
 public:
  PipelineRunner(PipelineSchedule schedule, std::span<const StageTimes> stages,
                 std::int64_t micro_batches)
      : stages_(stages),
        micro_batches_(micro_batches),
        arrivals_(2 * stages.size() * static_cast<std::size_t>(micro_batches), kUnknown) {
    const auto count = static_cast<std::int64_t>(stages.size());
    for (std::int64_t s = 0; s < count; ++s) {
      state_.push_back({in_flight(schedule, count, s, micro_batches), 0, {}, {}, {}, {}});
    }
  }

  /// Runs the stage's next turn if it can; false while what it needs is not known, or none is left.
  bool run(std::size_t stage, Slot& slot) {
    State& state = state_[stage];
    if (state.next == 2 * micro_batches_) return false;
    slot.turn = turn_at(state.next, state.held, micro_batches_);
    const Seconds ready = ready_at(stage, slot.turn);
    if (ready < Seconds{}) return false;
    const StageTimes& times = stages_[stage];
    const bool last = slot.turn.micro_batch + 1 == micro_batches_;
    slot.start = std::max(state.free, ready);
    slot.end = slot.start + (slot.turn.forward ? times.forward
                             : last            ? times.last_backward
                                               : times.backward);
    state.free = slot.end;
    state.last_start = slot.start;
    ++state.next;
    slot.turn.forward ? send_output(stage, slot) : send_gradient(stage, slot);
    return true;
  }

  bool complete(std::size_t stage) const { return state_[stage].next == 2 * micro_batches_; }
  Seconds end_of(std::size_t stage) const { return state_[stage].free; }
  Seconds last_start_of(std::size_t stage) const { return state_[stage].last_start; }

 private:
  struct State {
    std::int64_t held = 0, next = 0;
    Seconds free, last_start, forward_link, backward_link;
  };

  /// When the message that the stage sent in this turn arrives.
  Seconds& arrival(std::size_t stage, const Turn& turn) {
    const std::size_t direction = turn.forward ? 0 : 1;
    return arrivals_[(2 * stage + direction) * static_cast<std::size_t>(micro_batches_) +
                     static_cast<std::size_t>(turn.micro_batch)];
  }

  Seconds ready_at(std::size_t stage, const Turn& turn) {
    const std::size_t end = turn.forward ? 0 : stages_.size() - 1;
    if (stage == end) return Seconds{};
    return arrival(turn.forward ? stage - 1 : stage + 1, turn);
  }

  void send_output(std::size_t stage, Slot& slot) {
    Seconds& link = state_[stage].forward_link;
    slot.message_start = std::max(link, slot.end);
    slot.message_end = slot.message_start + stages_[stage].to_next;
    link = slot.message_end;
    arrival(stage, slot.turn) = slot.message_end;
  }

  /// The gradient leaves when backward is done; exchange and update need not be.
  void send_gradient(std::size_t stage, Slot& slot) {
    Seconds& link = state_[stage].backward_link;
    const Seconds message = stage == 0 ? Seconds{} : stages_[stage - 1].from_next;
    slot.message_start = std::max(link, slot.start + stages_[stage].backward);
    slot.message_end = slot.message_start + message;
    link = slot.message_end;
    arrival(stage, slot.turn) = slot.message_end;
  }

  std::span<const StageTimes> stages_;
  std::int64_t micro_batches_;
  std::vector<Seconds> arrivals_;
  std::vector<State> state_;
};

void run_all(PipelineRunner& runner, std::size_t stages, PipelineRun* record) {
  if (record != nullptr) record->assign(stages, {});
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages; ++s) {
      for (Slot slot; runner.run(s, slot); moved = true) {
        if (record != nullptr) (*record)[s].push_back(slot);
      }
    }
  }
  for (std::size_t s = 0; s < stages; ++s) {
    ensure(runner.complete(s), "run_pipeline: the schedule waits for itself");
  }
}

}  // namespace

std::vector<Seconds> last_turns(PipelineSchedule schedule, std::span<const StageTimes> stages,
                                std::int64_t micro_batches) {
  PipelineRunner runner(schedule, stages, micro_batches);
  run_all(runner, stages.size(), nullptr);
  std::vector<Seconds> starts;
  for (std::size_t s = 0; s < stages.size(); ++s) starts.push_back(runner.last_start_of(s));
  return starts;
}

std::vector<Seconds> run_pipeline(PipelineSchedule schedule, std::span<const StageTimes> stages,
                                  std::int64_t micro_batches, PipelineRun* record) {
  PipelineRunner runner(schedule, stages, micro_batches);
  run_all(runner, stages.size(), record);
  std::vector<Seconds> ends;
  for (std::size_t s = 0; s < stages.size(); ++s) ends.push_back(runner.end_of(s));
  return ends;
}

}  // namespace oracle
