#include "oracle/timeline/timeline.h"

#include <algorithm>
#include <array>

#include "oracle/timeline/scheduler.h"

namespace oracle {
namespace {

std::vector<Seconds> exposed_of(const Stage& stage, const StageRuns& runs, double micro_batches) {
  const std::vector<Seconds> forward = runs.forward.exposed(), backward = runs.backward.exposed(),
                             last_backward = runs.last_backward.run().exposed();
  std::vector<Seconds> exposed(stage.items.size());
  for (std::uint32_t i = 0; i < stage.items.size(); ++i) {
    if (i < stage.backward_begin) {
      exposed[i] = forward[i] * micro_batches;
      continue;
    }
    const std::uint32_t b = i - stage.backward_begin;
    exposed[i] = last_backward[b];
    if (b < backward.size()) exposed[i] += backward[b] * (micro_batches - 1);
  }
  return exposed;
}

std::vector<Seconds> lost_of(const Stage& stage, const StageRun& last_backward) {
  std::vector<Seconds> lost(stage.items.size());
  for (std::uint32_t i = stage.backward_begin; i < stage.items.size(); ++i) {
    const Item& item = stage.items[i];
    if (item.phase != Phase::backward || stream_of(item) != Stream::compute) continue;
    const std::uint32_t b = i - stage.backward_begin;
    const Seconds start = last_backward.clear_start(b), finish = last_backward.clear_finish(b);
    lost[i] = last_backward.slowed_before(finish) - last_backward.slowed_before(start);
  }
  return lost;
}

void append_events(const Stage& stage, std::uint32_t stage_index, const StageRun& run,
                   std::uint32_t first, const Slot& slot, bool loses, std::vector<Event>& events) {
  for (std::uint32_t i = 0; i < run.start.size(); ++i) {
    const Item& item = stage.items[first + i];
    // Exchange and update were run with what is lost beside them, as are weights and gradients that
    // move within backward.
    const bool later =
        loses && item.phase == Phase::backward && stream_of(item) != Stream::exchange;
    const Seconds start = later ? run.begins(i) : run.start[i];
    const Seconds finish = later ? run.ends(i) : run.finish[i];
    events.push_back({stage_index, static_cast<std::uint32_t>(slot.turn.micro_batch), first + i,
                      stream_of(item), item.phase, slot.start + start, slot.start + finish});
  }
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

std::vector<Event> events_of(const Plan& plan, std::span<const StageRuns> runs,
                             const PipelineRun& pipeline) {
  std::vector<Event> events;
  // Messages of a pipeline leave as if nothing were lost (scheduler.h).
  const bool loses = plan.stages.size() == 1;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (const Slot& slot : pipeline[s]) {
      const bool last = slot.turn.micro_batch + 1 == plan.strategy.micro_batches;
      const StageRun& run = slot.turn.forward ? runs[s].forward
                            : last            ? runs[s].last_backward.run()
                                              : runs[s].backward;
      const std::uint32_t first = slot.turn.forward ? 0 : stage.backward_begin;
      append_events(stage, s, run, first, slot, loses, events);
      if (slot.message_end > slot.message_start) {
        events.push_back({s, static_cast<std::uint32_t>(slot.turn.micro_batch), kMessage,
                          slot.turn.forward ? Stream::send_forward : Stream::send_backward,
                          slot.turn.forward ? Phase::forward : Phase::backward, slot.message_start,
                          slot.message_end});
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
      "compute", "communication", "exchange", "send forward", "send backward"};
  return kNames[static_cast<std::size_t>(stream)];
}

void add_events(const Plan& plan, const Scheduler& scheduler, Timeline& timeline) {
  const std::int64_t count = plan.strategy.micro_batches;
  timeline.shown = shown_of(plan);
  timeline.micro_batches = count;
  const PipelineRun pipeline =
      run_pipeline(plan.strategy.schedule, scheduler.times(), count, timeline.shown);
  timeline.events = events_of(plan, scheduler.runs(), pipeline);
  timeline.exposed =
      exposed_of(plan.stages[timeline.slowest_stage], scheduler.runs()[timeline.slowest_stage],
                 static_cast<double>(count));
  timeline.lost.clear();
  timeline.stages.clear();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    timeline.stages.push_back(scheduler.stage(s, count));
    timeline.lost.push_back(lost_of(plan.stages[s], scheduler.runs()[s].last_backward.run()));
  }
}

Timeline schedule(const Plan& plan, const Prices& prices, const Profile& profile, Detail detail) {
  const Strategy& strategy = plan.strategy;
  Scheduler scheduler;
  scheduler.prepare(plan, prices);
  scheduler.prepare_order(strategy.schedule, strategy.micro_batches);
  scheduler.run_exchange(plan, prices, profile);
  Timeline timeline = scheduler.totals(strategy.schedule, strategy.micro_batches);
  if (detail == Detail::events) add_events(plan, scheduler, timeline);
  return timeline;
}

}  // namespace oracle
