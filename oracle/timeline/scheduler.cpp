#include "oracle/timeline/scheduler.h"

#include <algorithm>
#include <array>
#include <utility>

namespace oracle {
namespace {

/// Of a stage itself: messages to others aside.
constexpr std::array<Stream, 6> kOwnStreams = {Stream::compute,  Stream::communication,
                                               Stream::exchange, Stream::ring,
                                               Stream::to_host,  Stream::from_host};

std::uint32_t exchange_begin(const Stage& stage) {
  auto index = stage.last_turn_begin();
  while (index < stage.items.size() && stage.items[index].phase == Phase::backward) ++index;
  return index;
}

void run_stage(const Stage& stage, const StagePrices& prices, bool repeats, StageRuns& runs) {
  StageRunner& runner = runs.last_backward;
  const auto run = [&](std::uint32_t begin, std::uint32_t end, StageRun& turn) {
    runner.start(begin);
    runner.run_to(end, stage, prices, {});
    runner.settle(stage);
    turn = runner.run();
  };
  const bool parts = stage.parts_backward();
  run(0, stage.backward_begin, runs.forward);
  if (parts) run(stage.backward_begin, stage.weights_begin, runs.backward);
  StageRun& repeated = parts ? runs.weights : runs.backward;
  runner.start(stage.last_turn_begin());
  runner.run_to(exchange_begin(stage), stage, prices, {});
  runs.backward_end = runner.mark();
  runner.reserve(stage.backward_end.most_items() + 1);
  if (repeats) {
    runner.settle(stage);
    repeated = runner.run();
    runner.go_back(runs.backward_end);
  } else {
    repeated = {};
  }
  if (!parts) runs.weights = {};
}

Seconds computed(const StageRun& run) {
  return run.occupied[static_cast<std::size_t>(Stream::compute)];
}

/// A forward and a backward that run together.
void run_pair(const Stage& stage, const StagePrices& prices, StageRuns& runs) {
  Seconds forward, backward;
  for (const std::uint32_t item : stage.expert_messages) {
    (item < stage.backward_begin ? forward : backward) += prices.waited_for(item);
  }
  const auto hidden = [](Seconds messages, const StageRun& other) {
    return messages > computed(other) ? computed(other) / messages : 1;
  };
  StagePrices together = prices;
  together.beside.resize(prices.items.size());
  for (const std::uint32_t item : stage.expert_messages) {
    const bool ahead = item < stage.backward_begin;
    together.beside[item] += prices.waited_for(item) * (ahead ? hidden(forward, runs.backward)
                                                              : hidden(backward, runs.forward));
  }
  runs.paired_forward = run_items(stage, together, 0, stage.backward_begin, {});
  runs.paired_backward =
      run_items(stage, together, stage.backward_begin, exchange_begin(stage), {});
}

Seconds sum_of(const std::vector<Cost>& costs) {
  Seconds sum;
  for (const Cost& cost : costs) sum += cost.time;
  return sum;
}

Seconds busy(const StageRun& run, Phase phase) { return run.busy[static_cast<std::size_t>(phase)]; }

/// From where a stage's update begins to the end of its last turn.
Seconds update_of(const Stage& stage, const StageRun& last) {
  const std::uint32_t update = stage.update_item();
  return update == kNoItem ? Seconds{} : last.length - last.start[update - stage.last_turn_begin()];
}

/// The step of a rank among others that ask the same servers, of one that takes `alone`.
Seconds among_others_of(Seconds alone, const StagePrices::Served& served) {
  if (served.link <= Seconds{}) return alone;
  const double busy = std::min(1.0, served.own / alone);
  return std::max(served.link, alone + served.others * busy);
}

}  // namespace

void Scheduler::prepare(const Plan& plan, const Prices& prices) {
  form_ = plan.pipeline();
  const bool repeats = plan.stages.size() > 1 || plan.strategy.micro_batches > 1;
  if (runs_.size() < plan.stages.size()) runs_.resize(plan.stages.size());
  times_.clear();
  twin_.clear();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    twin_.push_back(plan.twin(s));
    if (twin_[s] != s) {
      times_.push_back(times_[twin_[s]]);
      continue;
    }
    const StagePrices& own = prices.stages[s];
    run_stage(plan.stages[s], own, repeats, runs_[s]);
    times_.push_back({runs_[s].forward.length, runs_[s].backward.length, Seconds{},
                      sum_of(own.to_next), sum_of(own.from_next), Seconds{},
                      runs_[s].weights.length});
    if (!form_.pairs()) continue;
    run_pair(plan.stages[s], own, runs_[s]);
    times_.back().paired_forward = runs_[s].paired_forward.length;
    times_.back().paired_backward = runs_[s].paired_backward.length;
  }
  for (std::vector<Seconds>& turns : last_turns_) turns.clear();
  for (std::vector<Seconds>& turns : unhindered_turns_) turns.clear();
}

void Scheduler::prepare_order(PipelineSchedule schedule) {
  const auto index = static_cast<std::size_t>(schedule);
  PipelineForm form = form_;
  form.schedule = schedule;
  if (times_.size() == 1) {
    last_turns_[index] = unhindered_turns_[index] = last_turns(form, times_);
    return;
  }
  std::vector<StageTimes> unhindered = times_;
  for (StageTimes& stage : unhindered) stage.to_next = stage.from_next = {};
  auto [turns, others] = last_turns(form, times_, unhindered);
  last_turns_[index] = std::move(turns);
  unhindered_turns_[index] = std::move(others);
}

void Scheduler::run_exchange(const Plan& plan, const Prices& prices, const Profile& profile) {
  overlap_ = plan.strategy.overlap;
  const Overlap overlap = overlap_ ? profile.overlap : Overlap{};
  served_ = {};
  for (const StagePrices& stage : prices.stages) {
    if (stage.served.link > served_.link) served_ = stage.served;
  }
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (twin_[s] != s) {
      times_[s].last_backward = times_[twin_[s]].last_backward;
      times_[s].update = times_[twin_[s]].update;
      continue;
    }
    const Stage& stage = plan.stages[s];
    StageRunner& runner = runs_[s].last_backward;
    runner.go_back(runs_[s].backward_end);
    runner.run_to(static_cast<std::uint32_t>(stage.items.size()), stage, prices.stages[s], overlap);
    runner.settle(stage);
    times_[s].last_backward = runner.run().length;
    times_[s].update = update_of(stage, runner.run());
  }
}

/// Without exchange and update.
Seconds Scheduler::last_turn_of(const StageTimes& stage) const {
  return form_.parts_backward() ? stage.weights : stage.backward;
}

Scheduler::End Scheduler::end_of(std::size_t rank, const std::vector<Seconds>& turns,
                                 std::span<LastTurn> last) const {
  if (form_.chunks == 1 && last.empty()) return {turns[rank] + times_[rank].last_backward, {}};
  // The last chunk ends first, and the rank's computing with its first stage.
  const Seconds computed = turns[rank] + last_turn_of(times_[rank]);
  Seconds exchanged = overlap_ ? Seconds{} : computed, exchanges, updates;
  for (std::size_t chunk = times_.size() / ranks(); chunk-- > 0;) {
    const std::size_t s = chunk * ranks() + rank;
    const StageTimes& stage = times_[s];
    const Seconds exchange = stage.last_backward - last_turn_of(stage) - stage.update;
    exchanged = std::max(exchanged, turns[s] + last_turn_of(stage));
    if (!last.empty()) last[s] = {turns[s], exchanged, updates};
    exchanged += exchange;
    exchanges += exchange;
    updates += stage.update;
  }
  const Seconds begin = std::max(computed, exchanged);
  for (std::size_t s = rank; s < last.size(); s += ranks()) last[s].update += begin;
  return {begin + updates, computed + exchanges - begin};
}

std::vector<Scheduler::LastTurn> Scheduler::last_turns_of_stages(PipelineSchedule schedule) const {
  std::vector<LastTurn> last(times_.size());
  for (std::size_t r = 0; r < ranks(); ++r) end_of(r, last_turns_in(schedule), last);
  return last;
}

Seconds Scheduler::length_after(const std::vector<Seconds>& turns) const {
  Seconds length;
  for (std::size_t r = 0; r < ranks(); ++r) length = std::max(length, end_of(r, turns).at);
  return length;
}

/// Bubble and messages are left open.
Breakdown Scheduler::stage(std::size_t index) const {
  Breakdown parts;
  for_each_run(form_, index, run_of(index), [&](const StageRun& run, TurnKind, double times) {
    parts.forward += busy(run, Phase::forward) * times;
    parts.backward += busy(run, Phase::backward) * times;
    parts.update += busy(run, Phase::update) * times;
    parts.exposed_activation += run.waited_activation * times;
    parts.exposed_gradient += run.waited_gradient * times;
  });
  return parts;
}

Breakdown Scheduler::rank(std::size_t index, const std::vector<Seconds>& turns) const {
  Breakdown parts = stage(index);
  for (std::size_t s = index + ranks(); s < times_.size(); s += ranks()) {
    const Breakdown other = stage(s);
    parts.forward += other.forward;
    parts.backward += other.backward;
    parts.update += other.update;
    parts.exposed_activation += other.exposed_activation;
    parts.exposed_gradient += other.exposed_gradient;
  }
  if (form_.chunks > 1) {
    parts.exposed_gradient =
        std::max(Seconds{}, parts.exposed_gradient - end_of(index, turns).hidden);
  }
  return parts;
}

Seconds Scheduler::occupied(std::size_t stage, Stream stream) const {
  Seconds busy;
  for_each_run(form_, stage, run_of(stage), [&](const StageRun& run, TurnKind, double times) {
    busy += run.occupied[static_cast<std::size_t>(stream)] * times;
  });
  return busy;
}

Seconds Scheduler::communication_of(std::size_t rank) const {
  Seconds sum;
  for (std::size_t s = rank; s < times_.size(); s += ranks()) {
    for (const Stream stream : kOwnStreams) {
      if (stream != Stream::compute) sum += occupied(s, stream);
    }
  }
  return sum;
}

/// Lower bound on the step: every stream's own items, and one micro-batch's way through all stages.
Seconds Scheduler::critical_path() const {
  const auto micro_batches = static_cast<double>(form_.micro_batches);
  Seconds longest, way;
  for (std::size_t r = 0; r < ranks(); ++r) {
    for (const Stream stream : kOwnStreams) {
      Seconds busy;
      for (std::size_t s = r; s < times_.size(); s += ranks()) busy += occupied(s, stream);
      longest = std::max(longest, busy);
    }
    Seconds sent, returned;
    for (std::size_t s = r; s < times_.size(); s += ranks()) {
      sent += times_[s].to_next * micro_batches;
      returned += times_[s].from_next * micro_batches;
    }
    longest = std::max({longest, sent, returned});
  }
  for (std::size_t s = 0; s < times_.size(); ++s) {
    const StageRuns& stage = run_of(s);
    const bool pairs = form_.pairs();
    if (s > 0 || form_.parts_backward()) {
      way += pairs ? stage.paired_backward.critical_path : stage.backward.critical_path;
    }
    if (s == 0) way += stage.last_backward.run().critical_path;
    way += pairs ? stage.paired_forward.critical_path : stage.forward.critical_path;
    way += times_[s].to_next + times_[s].from_next;
  }
  return std::max(longest, way);
}

Timeline Scheduler::totals(PipelineSchedule schedule) const {
  const std::vector<Seconds>& turns = last_turns_in(schedule);
  Timeline timeline;
  timeline.length = length_after(turns);
  Breakdown& parts = timeline.breakdown;
  std::uint32_t slowest = 0;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    const Breakdown own = rank(r, turns);
    if (r > 0 && own.busy() <= parts.busy()) continue;
    parts = own;
    slowest = r;
  }
  timeline.slowest_stage = slowest;
  for (std::size_t s = slowest + ranks(); s < times_.size(); s += ranks()) {
    if (stage(s).busy() > stage(timeline.slowest_stage).busy()) {
      timeline.slowest_stage = static_cast<std::uint32_t>(s);
    }
  }
  const Seconds among_others = among_others_of(timeline.length, served_);
  parts.exposed_gradient += among_others - timeline.length;
  timeline.length = among_others;
  const Seconds waited = std::max(Seconds{}, timeline.length - parts.busy());
  const Seconds unhindered = length_after(unhindered_turns_[static_cast<std::size_t>(schedule)]);
  parts.messages = std::clamp(timeline.length - unhindered, Seconds{}, waited);
  parts.bubble = waited - parts.messages;
  timeline.communication = communication_of(slowest);
  timeline.critical_path = critical_path();
  return timeline;
}

Seconds Scheduler::least_length(PipelineSchedule schedule, std::span<const Cost> updates) const {
  const std::vector<Seconds>& turns = last_turns_in(schedule);
  Seconds least;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    least = std::max(least, turns[s] + (run_of(s).backward_end.totals.length + updates[s].time));
  }
  return least;
}

}  // namespace oracle
