#pragma once
// How are many variants of one plan scheduled without running all of it each time?
//
// Variants differ in gradient exchange and in the order of a pipeline. Forward and backward of a
// micro-batch run alike in all of them, and so does a pipeline up to each stage's last turn
// (pipeline.h): they run once. A variant runs what its last backward adds, or the second turn of
// one in two, and its length is
//
//   length = max over stages of (begin of the last turn + last turn)
//
// Ranks that do not wait for each other run by themselves, but meet at the servers' links
// (StagePrices::Served). Those are a closed queueing network, whose balanced job bounds say how
// long a step is: Zahorjan, Sevcik, Eager & Galler, CACM 25(2), 1982.
//
//   step = max(link, alone + others · min(1, own/alone))
//
// A rank with several stages ends each with an exchange, which hides behind the turns of the
// others where the plan overlaps them; its updates come last.
//
// Of a forward and a backward that run together (PipelineForm::pairs), messages of experts go on
// while the other one computes: of E_f and E_b beside C_b and C_f of computing, min(E_f, C_b) and
// min(E_b, C_f) are not waited for, of each message its part. Neither slows the other.
//
// Worked: forward 1 s, backward 2 s, then an exchange of 3 s or one of 5 s after the first second
// of backward: 5 s and 7 s                                     tests/timeline/scheduler_test.cpp

#include <array>
#include <vector>

#include "oracle/timeline/pipeline.h"
#include "oracle/timeline/stage_run.h"

namespace oracle {

/// What the micro-batches of a stage consist of.
struct StageRuns {
  StageRun forward;
  /// Of all micro-batches but the last, where there are more; of a backward in two turns the first
  /// one, of all.
  StageRun backward;
  StageRun weights;                          ///< the second turn, of all micro-batches but the last
  StageRun paired_forward, paired_backward;  ///< of turns that run together
  StageRunner last_backward;                 ///< the last turn, with exchange and update
  StageRunner::Mark backward_end;            ///< before both
};

/// Calls `visit(run, kind, times)` for each kind of turn of a stage that runs so often in a step.
template <typename Visit>
void for_each_run(const PipelineForm& form, std::size_t stage, const StageRuns& runs, Visit visit) {
  const auto index = static_cast<std::int64_t>(stage);
  const auto all = static_cast<double>(form.micro_batches), repeats = all - 1;
  const bool parts = form.parts_backward();
  const auto forwards = static_cast<double>(alone(form, TurnKind::forward, index));
  const auto backwards = static_cast<double>(alone(form, TurnKind::backward, index));
  visit(runs.forward, TurnKind::forward, forwards);
  visit(runs.backward, TurnKind::backward, parts ? all : backwards - 1);
  if (form.pairs()) {
    visit(runs.paired_forward, TurnKind::forward, all - forwards);
    visit(runs.paired_backward, TurnKind::backward, all - backwards);
  }
  if (parts) visit(runs.weights, TurnKind::weights, repeats);
  visit(runs.last_backward.run(), parts ? TurnKind::weights : TurnKind::backward, 1.0);
}

class Scheduler {
 public:
  /// Runs forward and backward of every stage; exchange and update need no prices yet.
  void prepare(const Plan& plan, const Prices& prices);

  /// Runs a pipeline of the prepared stages up to their last turns.
  void prepare_order(PipelineSchedule schedule);

  /// Runs the exchange and update that the plan now has. Allocates nothing once it has run as many
  /// items.
  void run_exchange(const Plan& plan, const Prices& prices, const Profile& profile);

  /// The step, in an order that was prepared, with the exchange run last. Allocates nothing.
  Timeline totals(PipelineSchedule schedule) const;

  /// What a stage computes and waits for, with the exchange run last.
  Breakdown stage(std::size_t index) const;

  /// When a stage's last turn exchanges what backward does not hide, and updates.
  struct LastTurn {
    Seconds begin, exchange, update;
  };
  std::vector<LastTurn> last_turns_of_stages(PipelineSchedule schedule) const;

  /// No exchange lets the step be shorter; `updates`: what each stage's update takes.
  Seconds least_length(PipelineSchedule schedule, std::span<const Cost> updates) const;

  const StageRuns& run_of(std::size_t stage) const { return runs_[twin_[stage]]; }
  std::span<const StageTimes> times() const { return times_; }

 private:
  const std::vector<Seconds>& last_turns_in(PipelineSchedule schedule) const {
    return last_turns_[static_cast<std::size_t>(schedule)];
  }
  Seconds last_turn_of(const StageTimes& stage) const;
  /// When a rank is done, and what of its exchanges hides behind the turns of its other stages.
  struct End {
    Seconds at, hidden;
  };
  /// `last`: of all stages, of which it sets the rank's; may be empty.
  End end_of(std::size_t rank, const std::vector<Seconds>& turns,
             std::span<LastTurn> last = {}) const;
  /// The step whose stages begin their last turns then.
  Seconds length_after(const std::vector<Seconds>& turns) const;
  Breakdown rank(std::size_t index, const std::vector<Seconds>& turns) const;
  Seconds communication_of(std::size_t rank) const;
  Seconds critical_path() const;
  /// Busy time of a stream of a stage over the step.
  Seconds occupied(std::size_t stage, Stream stream) const;
  std::size_t ranks() const { return static_cast<std::size_t>(form_.ranks); }

  PipelineForm form_;
  bool overlap_ = true;
  StagePrices::Served served_;     ///< of servers that do not wait
  std::vector<StageRuns> runs_;    ///< at least as many as there are stages
  std::vector<std::size_t> twin_;  ///< by stage, the one that is run for it
  std::vector<StageTimes> times_;
  std::array<std::vector<Seconds>, kPipelineScheduleCount> last_turns_;
  /// If messages took no time.
  std::array<std::vector<Seconds>, kPipelineScheduleCount> unhindered_turns_;
};

/// Adds to a timeline the events of the plan's step, and what each item exposes.
void add_events(const Plan& plan, const Scheduler& scheduler, Timeline& timeline);

}  // namespace oracle
