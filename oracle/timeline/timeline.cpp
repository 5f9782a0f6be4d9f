#include "oracle/timeline/timeline.h"

#include <algorithm>
#include <array>

#include "oracle/timeline/pipeline.h"
#include "oracle/timeline/stage_run.h"

namespace oracle {
namespace {

/// The runs a stage's micro-batches consist of.
struct StageRuns {
  StageRun forward;
  StageRun backward;       ///< of all micro-batches but the last
  StageRun last_backward;  ///< with gradient exchange and update
};

std::uint32_t exchange_begin(const Stage& stage) {
  auto index = stage.backward_begin;
  while (index < stage.items.size() && stage.items[index].phase == Phase::backward) ++index;
  return index;
}

StageRuns run_stage(const Stage& stage, const StagePrices& prices, double slowdown, bool repeats) {
  const auto end = static_cast<std::uint32_t>(stage.items.size());
  StageRuns runs;
  runs.forward = run_items(stage, prices.items, 0, stage.backward_begin, slowdown);
  if (repeats) {
    runs.backward =
        run_items(stage, prices.items, stage.backward_begin, exchange_begin(stage), slowdown);
  }
  runs.last_backward = run_items(stage, prices.items, stage.backward_begin, end, slowdown);
  return runs;
}

Seconds sum_of(const std::vector<Cost>& costs) {
  Seconds sum;
  for (const Cost& cost : costs) sum += cost.time;
  return sum;
}

StageTimes times_of(const StageRuns& runs, const StagePrices& prices) {
  return {runs.forward.length, runs.backward.length, runs.last_backward.length,
          sum_of(prices.to_next), sum_of(prices.from_next)};
}

Seconds busy(const StageRun& run, Phase phase) { return run.busy[static_cast<std::size_t>(phase)]; }

Breakdown breakdown_of(const StageRuns& runs, double micro_batches, Seconds length) {
  const double repeats = micro_batches - 1;
  Breakdown parts;
  parts.forward = busy(runs.forward, Phase::forward) * micro_batches;
  parts.backward =
      busy(runs.backward, Phase::backward) * repeats + busy(runs.last_backward, Phase::backward);
  parts.update = busy(runs.last_backward, Phase::update);
  parts.exposed_activation = runs.forward.waited_activation * micro_batches +
                             runs.backward.waited_activation * repeats +
                             runs.last_backward.waited_activation;
  parts.exposed_gradient = runs.last_backward.waited_gradient;
  const Seconds spent = parts.forward + parts.backward + parts.update + parts.exposed_activation +
                        parts.exposed_gradient;
  parts.bubble = std::max(Seconds{}, length - spent);
  return parts;
}

/// Busy time of a stream over the step.
Seconds occupied(const StageRuns& runs, Stream stream, double micro_batches) {
  const auto s = static_cast<std::size_t>(stream);
  return runs.forward.occupied[s] * micro_batches +
         runs.backward.occupied[s] * (micro_batches - 1) + runs.last_backward.occupied[s];
}

Seconds communication_of(const StageRuns& runs, double micro_batches) {
  return occupied(runs, Stream::communication, micro_batches) +
         occupied(runs, Stream::exchange, micro_batches);
}

/// Lower bound on the step: every stream's own items, and one micro-batch's way through all stages.
Seconds critical_path_of(const std::vector<StageRuns>& runs, const std::vector<StageTimes>& times,
                         double micro_batches) {
  Seconds longest, way;
  for (std::size_t s = 0; s < runs.size(); ++s) {
    const StageRuns& stage = runs[s];
    for (const Stream stream : {Stream::compute, Stream::communication, Stream::exchange}) {
      longest = std::max(longest, occupied(stage, stream, micro_batches));
    }
    longest =
        std::max({longest, times[s].to_next * micro_batches, times[s].from_next * micro_batches});
    const StageRun& returning = s == 0 ? stage.last_backward : stage.backward;
    way += stage.forward.critical_path + returning.critical_path + times[s].to_next +
           times[s].from_next;
  }
  return std::max(longest, way);
}

std::vector<Seconds> exposed_of(const Stage& stage, const StageRuns& runs, double micro_batches) {
  std::vector<Seconds> exposed(stage.items.size());
  for (std::uint32_t i = 0; i < stage.items.size(); ++i) {
    if (i < stage.backward_begin) {
      exposed[i] = runs.forward.exposed[i] * micro_batches;
      continue;
    }
    const std::uint32_t b = i - stage.backward_begin;
    exposed[i] = runs.last_backward.exposed[b];
    if (b < runs.backward.exposed.size()) {
      exposed[i] += runs.backward.exposed[b] * (micro_batches - 1);
    }
  }
  return exposed;
}

void append_events(const Stage& stage, std::uint32_t stage_index, const StageRun& run,
                   std::uint32_t first, const Slot& slot, std::vector<Event>& events) {
  for (std::uint32_t i = 0; i < run.start.size(); ++i) {
    const Item& item = stage.items[first + i];
    events.push_back({stage_index, static_cast<std::uint32_t>(slot.turn.micro_batch), first + i,
                      stream_of(item), item.phase, slot.start + run.start[i],
                      slot.start + run.finish[i]});
  }
}

std::vector<Event> events_of(const Plan& plan, const std::vector<StageRuns>& runs,
                             const PipelineRun& pipeline) {
  std::vector<Event> events;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (const Slot& slot : pipeline[s]) {
      const bool last = slot.turn.micro_batch + 1 == plan.strategy.micro_batches;
      const StageRun& run = slot.turn.forward ? runs[s].forward
                            : last            ? runs[s].last_backward
                                              : runs[s].backward;
      const std::uint32_t first = slot.turn.forward ? 0 : stage.backward_begin;
      append_events(stage, s, run, first, slot, events);
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

Timeline schedule(const Plan& plan, const Prices& prices, const Profile& profile, Detail detail) {
  const std::int64_t count = plan.strategy.micro_batches;
  const auto micro_batches = static_cast<double>(count);
  const double slowdown = plan.strategy.overlap ? profile.overlap_slowdown : 0;
  std::vector<StageRuns> runs;
  std::vector<StageTimes> times;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const bool sends_back = plan.stages.size() > 1;
    runs.push_back(run_stage(plan.stages[s], prices.stages[s], slowdown, sends_back || count > 1));
    times.push_back(times_of(runs.back(), prices.stages[s]));
  }
  PipelineRun pipeline;
  const std::vector<Seconds> ends = run_pipeline(plan.strategy.schedule, times, count,
                                                 detail == Detail::events ? &pipeline : nullptr);
  Timeline timeline;
  const auto latest = std::max_element(ends.begin(), ends.end());
  timeline.length = *latest;
  timeline.slowest_stage = static_cast<std::uint32_t>(latest - ends.begin());
  const StageRuns& slowest = runs[timeline.slowest_stage];
  timeline.breakdown = breakdown_of(slowest, micro_batches, timeline.length);
  timeline.communication = communication_of(slowest, micro_batches);
  timeline.critical_path = critical_path_of(runs, times, micro_batches);
  if (detail == Detail::events) {
    timeline.events = events_of(plan, runs, pipeline);
    timeline.exposed = exposed_of(plan.stages[timeline.slowest_stage], slowest, micro_batches);
  }
  return timeline;
}

}  // namespace oracle
