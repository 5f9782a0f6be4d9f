#include "oracle/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/timeline/scheduler.h"

namespace oracle {
namespace {

std::uint32_t first_item_of(const Stage& stage, TurnKind kind) {
  if (kind == TurnKind::forward) return 0;
  return kind == TurnKind::weights ? stage.weights_begin : stage.backward_begin;
}

std::vector<Seconds> exposed_of(const Stage& stage, const StageRuns& runs, const PipelineForm& form,
                                std::size_t index) {
  std::vector<Seconds> exposed(stage.items.size());
  for_each_run(form, index, runs, [&](const StageRun& run, TurnKind kind, double times) {
    const std::uint32_t first = first_item_of(stage, kind);
    const std::vector<Seconds> own = run.exposed();
    for (std::size_t i = 0; i < own.size(); ++i) exposed[first + i] += own[i] * times;
  });
  return exposed;
}

std::vector<Seconds> lost_of(const Stage& stage, const StageRun& last_backward) {
  std::vector<Seconds> lost(stage.items.size());
  for (std::uint32_t i = stage.last_turn_begin(); i < stage.items.size(); ++i) {
    const Item& item = stage.items[i];
    if (item.phase != Phase::backward || stream_of(item) != Stream::compute) continue;
    const std::uint32_t b = i - stage.last_turn_begin();
    const Seconds start = last_backward.clear_start(b), finish = last_backward.clear_finish(b);
    lost[i] = last_backward.slowed_before(finish) - last_backward.slowed_before(start);
  }
  return lost;
}

/// The part of a stage's events that one of its turns is.
struct Part {
  const Stage& stage;
  std::uint32_t index = 0;  ///< of the stage
  const StageRun& run;
  std::uint32_t first = 0;  ///< item
  bool loses = false;       ///< of what is run beside an exchange
};

/// By how much what a last turn adds comes later among the other stages of its rank.
struct Later {
  Seconds backward{INFINITY};  ///< from when on the exchange is what it adds
  Seconds exchange{}, update{};
  std::uint32_t update_item = kNoItem;  ///< of the run

  Seconds of(const StageRun& run, std::uint32_t index, const Item& item) const {
    if (index >= update_item) return update;
    const bool beyond = item.phase == Phase::exchange && run.start[index] >= backward;
    return beyond ? exchange : Seconds{};
  }
};

void append_events(const Part& part, const Slot& slot, const Later& later,
                   std::vector<Event>& events) {
  Seconds ring;  // free again
  for (std::uint32_t i = 0; i < part.run.start.size(); ++i) {
    const Item& item = part.stage.items[part.first + i];
    // Exchange and update were run with what is lost beside them, as are weights and gradients that
    // move within backward.
    const bool slowed =
        part.loses && item.phase == Phase::backward && stream_of(item) != Stream::exchange;
    Seconds start = slowed ? part.run.begins(i) : part.run.start[i];
    Seconds finish = slowed ? part.run.ends(i) : part.run.finish[i];
    // What computing loses beside a pass lengthens it: the next one begins when it is over.
    if (stream_of(item) == Stream::ring) {
      start = std::max(start, ring);
      finish = ring = std::max(finish, start);
    }
    const Seconds begin = slot.start + later.of(part.run, i, item);
    events.push_back({part.index, static_cast<std::uint32_t>(slot.turn.micro_batch), part.first + i,
                      stream_of(item), item.phase, begin + start, begin + finish});
  }
}

Later later_of(const Stage& stage, const StageTimes& times, const StageRun& run,
               const Scheduler::LastTurn& last) {
  const Seconds passes = stage.parts_backward() ? times.weights : times.backward;
  Later later{passes, last.exchange - (last.begin + passes)};
  if (const std::uint32_t update = stage.update_item(); update != kNoItem) {
    later.update_item = update - stage.last_turn_begin();
    later.update = last.update - (last.begin + run.start[later.update_item]);
  }
  return later;
}

Part part_of(const Stage& stage, std::uint32_t index, const StageRuns& runs, const Turn& turn,
             bool is_last, bool loses) {
  const auto run = [&]() -> const StageRun& {
    if (turn.is_forward()) return turn.paired ? runs.paired_forward : runs.forward;
    if (is_last) return runs.last_backward.run();
    if (turn.kind == TurnKind::weights) return runs.weights;
    return turn.paired ? runs.paired_backward : runs.backward;
  };
  return {stage, index, run(), first_item_of(stage, turn.kind), loses};
}

/// Micro-batches that are shown item by item, at least one.
std::int64_t shown_of(const Plan& plan) {
  constexpr std::size_t kMostEvents = 250'000;
  std::size_t events = 0;
  for (const Stage& stage : plan.stages) {
    events += stage.items.size() + stage.to_next.size() + stage.from_next.size();
  }
  const auto shown = static_cast<std::int64_t>(kMostEvents / std::max<std::size_t>(events, 1));
  return std::clamp<std::int64_t>(shown, 1, plan.strategy.micro_batches);
}

std::vector<Event> events_of(const Plan& plan, const Scheduler& scheduler,
                             const PipelineRun& pipeline) {
  std::vector<Event> events;
  const PipelineForm form = plan.pipeline();
  // Messages of a pipeline leave as if nothing were lost (scheduler.h).
  const bool loses = plan.stages.size() == 1;
  std::vector<Scheduler::LastTurn> last_turns;
  if (plan.strategy.chunks > 1) {
    last_turns = scheduler.last_turns_of_stages(plan.strategy.schedule);
  }
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const StageRuns& runs = scheduler.run_of(s);
    for (const Slot& slot : pipeline[s]) {
      const bool last = slot.turn.is_last(form);
      const Part part = part_of(stage, s, runs, slot.turn, last, loses);
      Later later;
      if (last && !last_turns.empty()) {
        later = later_of(stage, scheduler.times()[s], part.run, last_turns[s]);
      }
      append_events(part, slot, later, events);
      if (slot.message_end > slot.message_start) {
        events.push_back({s, static_cast<std::uint32_t>(slot.turn.micro_batch), kMessage,
                          slot.turn.is_forward() ? Stream::send_forward : Stream::send_backward,
                          slot.turn.is_forward() ? Phase::forward : Phase::backward,
                          slot.message_start, slot.message_end});
      }
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.start < b.start; });
  return events;
}

}  // namespace

std::string_view name_of(Stream stream) {
  constexpr std::array<std::string_view, kStreamCount> kNames = {
      "compute", "communication", "exchange",     "ring",
      "to host", "from host",     "send forward", "send backward"};
  return kNames[static_cast<std::size_t>(stream)];
}

void add_events(const Plan& plan, const Scheduler& scheduler, Timeline& timeline) {
  const std::int64_t count = plan.strategy.micro_batches;
  timeline.shown = shown_of(plan);
  timeline.micro_batches = count;
  const PipelineRun pipeline = run_pipeline(plan.pipeline(), scheduler.times(), timeline.shown);
  timeline.events = events_of(plan, scheduler, pipeline);
  timeline.exposed =
      exposed_of(plan.stages[timeline.slowest_stage], scheduler.run_of(timeline.slowest_stage),
                 plan.pipeline(), timeline.slowest_stage);
  timeline.lost.clear();
  timeline.stages.clear();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    timeline.stages.push_back(scheduler.stage(s));
    timeline.lost.push_back(lost_of(plan.stages[s], scheduler.run_of(s).last_backward.run()));
  }
}

Timeline schedule(const Plan& plan, const Prices& prices, const Profile& profile, Detail detail) {
  const Strategy& strategy = plan.strategy;
  Scheduler scheduler;
  scheduler.prepare(plan, prices);
  scheduler.prepare_order(strategy.schedule);
  scheduler.run_exchange(plan, prices, profile);
  Timeline timeline = scheduler.totals(strategy.schedule);
  if (detail == Detail::events) add_events(plan, scheduler, timeline);
  return timeline;
}

}  // namespace oracle
