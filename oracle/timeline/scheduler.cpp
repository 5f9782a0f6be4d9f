#include "oracle/timeline/scheduler.h"

#include <algorithm>

namespace oracle {
namespace {

std::uint32_t exchange_begin(const Stage& stage) {
  auto index = stage.backward_begin;
  while (index < stage.items.size() && stage.items[index].phase == Phase::backward) ++index;
  return index;
}

void run_stage(const Stage& stage, const StagePrices& prices, bool repeats, StageRuns& runs) {
  StageRunner& runner = runs.last_backward;
  runner.start(0);
  runner.run_to(stage.backward_begin, stage, prices, {});
  runner.settle(stage);
  runs.forward = runner.run();
  runner.start(stage.backward_begin);
  runner.run_to(exchange_begin(stage), stage, prices, {});
  runs.backward_end = runner.mark();
  runner.reserve(stage.backward_end.most_items() + 1);
  if (repeats) {
    runner.settle(stage);
    runs.backward = runner.run();
    runner.go_back(runs.backward_end);
  } else {
    runs.backward = {};
  }
}

Seconds sum_of(const std::vector<Cost>& costs) {
  Seconds sum;
  for (const Cost& cost : costs) sum += cost.time;
  return sum;
}

Seconds busy(const StageRun& run, Phase phase) { return run.busy[static_cast<std::size_t>(phase)]; }

/// Of a stage: bubble and messages are left open.
Breakdown breakdown_of(const StageRuns& runs, double micro_batches) {
  const double repeats = micro_batches - 1;
  const StageRun& last = runs.last_backward.run();
  Breakdown parts;
  parts.forward = busy(runs.forward, Phase::forward) * micro_batches;
  parts.backward = busy(runs.backward, Phase::backward) * repeats + busy(last, Phase::backward);
  parts.update = busy(last, Phase::update);
  parts.exposed_activation = runs.forward.waited_activation * micro_batches +
                             runs.backward.waited_activation * repeats + last.waited_activation;
  parts.exposed_gradient = runs.forward.waited_gradient * micro_batches +
                           runs.backward.waited_gradient * repeats + last.waited_gradient;
  return parts;
}

/// Busy time of a stream over the step.
Seconds occupied(const StageRuns& runs, Stream stream, double micro_batches) {
  const auto s = static_cast<std::size_t>(stream);
  return runs.forward.occupied[s] * micro_batches +
         runs.backward.occupied[s] * (micro_batches - 1) + runs.last_backward.run().occupied[s];
}

Seconds communication_of(const StageRuns& runs, double micro_batches) {
  return occupied(runs, Stream::communication, micro_batches) +
         occupied(runs, Stream::exchange, micro_batches);
}

/// Lower bound on the step: every stream's own items, and one micro-batch's way through all stages.
Seconds critical_path_of(std::span<const StageRuns> runs, std::span<const StageTimes> times,
                         double micro_batches) {
  Seconds longest, way;
  for (std::size_t s = 0; s < runs.size(); ++s) {
    const StageRuns& stage = runs[s];
    for (const Stream stream : {Stream::compute, Stream::communication, Stream::exchange}) {
      longest = std::max(longest, occupied(stage, stream, micro_batches));
    }
    longest =
        std::max({longest, times[s].to_next * micro_batches, times[s].from_next * micro_batches});
    const StageRun& returning = s == 0 ? stage.last_backward.run() : stage.backward;
    way += stage.forward.critical_path + returning.critical_path + times[s].to_next +
           times[s].from_next;
  }
  return std::max(longest, way);
}

}  // namespace

void Scheduler::prepare(const Plan& plan, const Prices& prices) {
  const bool repeats = plan.stages.size() > 1 || plan.strategy.micro_batches > 1;
  if (runs_.size() < plan.stages.size()) runs_.resize(plan.stages.size());
  times_.clear();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePrices& own = prices.stages[s];
    run_stage(plan.stages[s], own, repeats, runs_[s]);
    times_.push_back({runs_[s].forward.length, runs_[s].backward.length, Seconds{},
                      sum_of(own.to_next), sum_of(own.from_next)});
  }
  for (std::vector<Seconds>& turns : last_turns_) turns.clear();
  for (std::vector<Seconds>& turns : unhindered_turns_) turns.clear();
}

void Scheduler::prepare_order(PipelineSchedule schedule, std::int64_t micro_batches) {
  const auto index = static_cast<std::size_t>(schedule);
  last_turns_[index] = last_turns(schedule, times_, micro_batches);
  unhindered_turns_[index] = last_turns_[index];
  if (times_.size() == 1) return;
  std::vector<StageTimes> unhindered = times_;
  for (StageTimes& stage : unhindered) stage.to_next = stage.from_next = {};
  unhindered_turns_[index] = last_turns(schedule, unhindered, micro_batches);
}

void Scheduler::run_exchange(const Plan& plan, const Prices& prices, const Profile& profile) {
  const Overlap overlap = plan.strategy.overlap ? profile.overlap : Overlap{};
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    StageRunner& runner = runs_[s].last_backward;
    runner.go_back(runs_[s].backward_end);
    runner.run_to(static_cast<std::uint32_t>(stage.items.size()), stage, prices.stages[s], overlap);
    runner.settle(stage);
    times_[s].last_backward = runner.run().length;
  }
}

Seconds Scheduler::length_after(const std::vector<Seconds>& turns) const {
  Seconds length;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    length = std::max(length, turns[s] + times_[s].last_backward);
  }
  return length;
}

Breakdown Scheduler::stage(std::size_t index, std::int64_t micro_batches) const {
  return breakdown_of(runs_[index], static_cast<double>(micro_batches));
}

Timeline Scheduler::totals(PipelineSchedule schedule, std::int64_t micro_batches) const {
  const auto count = static_cast<double>(micro_batches);
  Timeline timeline;
  timeline.length = length_after(last_turns_in(schedule));
  Breakdown& parts = timeline.breakdown;
  for (std::uint32_t s = 0; s < times_.size(); ++s) {
    const Breakdown own = stage(s, micro_batches);
    if (s > 0 && own.busy() <= parts.busy()) continue;
    parts = own;
    timeline.slowest_stage = s;
  }
  const Seconds waited = std::max(Seconds{}, timeline.length - parts.busy());
  const Seconds unhindered = length_after(unhindered_turns_[static_cast<std::size_t>(schedule)]);
  parts.messages = std::clamp(timeline.length - unhindered, Seconds{}, waited);
  parts.bubble = waited - parts.messages;
  timeline.communication = communication_of(runs_[timeline.slowest_stage], count);
  timeline.critical_path = critical_path_of(runs(), times_, count);
  return timeline;
}

Seconds Scheduler::least_length(PipelineSchedule schedule, std::span<const Cost> updates) const {
  const std::vector<Seconds>& turns = last_turns_in(schedule);
  Seconds least;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    least = std::max(least, turns[s] + (runs_[s].backward_end.totals.length + updates[s].time));
  }
  return least;
}

}  // namespace oracle
