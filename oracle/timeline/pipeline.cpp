#include "oracle/timeline/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/timeline/steady.h"

namespace oracle {
namespace {

/// Fewer rounds than this are run one by one.
constexpr std::int64_t kFewRounds = 512;

std::int64_t round_up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// When messages arrive that have not been taken yet. They are sent and taken in one order.
class Arrivals {
 public:
  bool empty() const { return taken_ == times_.size(); }
  void push(double time) { times_.push_back(time); }
  double take() {
    const double time = times_[taken_++];
    if (empty()) {
      times_.clear();
      taken_ = 0;
    }
    return time;
  }
  std::span<double> waiting() { return std::span(times_).subspan(taken_); }

 private:
  std::vector<double> times_;
  std::size_t taken_ = 0;
};

class PipelineRunner {
 public:
  /// `record`: takes the slots of the first `shown` micro-batches; null: none.
  PipelineRunner(const PipelineForm& form, std::span<const StageTimes> stages,
                 PipelineRun* record = nullptr, std::int64_t shown = 0)
      : form_(form),
        stages_(stages),
        shown_(shown),
        record_(record),
        ranks_(static_cast<std::size_t>(form.ranks)),
        last_starts_(stages.size()) {
    ensure(form.stages() == static_cast<std::int64_t>(stages.size()), "a pipeline's stages");
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].ahead = in_flight(form_, static_cast<std::int64_t>(r));
    }
    if (record_ != nullptr) record_->assign(stages.size(), {});
  }

  void run() {
    const std::int64_t all = form_.turns(), ahead = ranks_.front().ahead;
    if (form_.schedule == PipelineSchedule::gpipe && ahead == form_.passes()) {
      repeat(all / 2, 1, shown_ * form_.chunks);
      repeat(all, 1, shown_ * form_.chunks);
    } else if (form_.chunks == 1) {
      run_to(ahead);
      repeat(all - ahead, 2, 2 * shown_);
    } else {
      // A last group of fewer micro-batches is not like the others.
      const std::int64_t full = all - 2 * form_.chunks * (form_.micro_batches % form_.ranks);
      run_to(ahead);
      repeat(full - ahead, 2 * form_.stages(), 2 * form_.chunks * shown_);
    }
    run_to(all);
    for (const Rank& rank : ranks_) ensure(rank.next == all, "every turn of a pipeline is run");
  }

  std::vector<Seconds> last_starts() const {
    std::vector<Seconds> starts;
    for (const double start : last_starts_) starts.emplace_back(start);
    return starts;
  }

 private:
  /// In its order; `free` and the links that take its messages on, until when they are busy.
  struct Rank {
    std::int64_t ahead = 0, next = 0;  ///< turns
    double free = 0, output_link = 0, gradient_link = 0;
    Arrivals outputs, gradients;
  };

  Rank& after(std::size_t rank) { return ranks_[rank + 1 < ranks_.size() ? rank + 1 : 0]; }
  Rank& before(std::size_t rank) { return ranks_[rank > 0 ? rank - 1 : ranks_.size() - 1]; }

  /// The later of two clocks.
  double later(double one, double other) {
    if (choosing_) margins_.push_back(one - other);
    return std::max(one, other);
  }

  /// Runs the next turn of a rank; whether what it waits for has been sent.
  bool run_turn(std::size_t rank) {
    const Turn turn = turn_at(ranks_[rank].next, ranks_[rank].ahead, form_);
    const auto stage =
        static_cast<std::size_t>(form_.stage_of(static_cast<std::int64_t>(rank), turn.chunk));
    if (!(turn.forward ? forward(rank, stage, turn) : backward(rank, stage, turn))) return false;
    ++ranks_[rank].next;
    return true;
  }

  bool forward(std::size_t rank, std::size_t stage, const Turn& turn) {
    const StageTimes& times = stages_[stage];
    Rank& own = ranks_[rank];
    if (stage > 0 && own.outputs.empty()) return false;
    const double start = stage == 0 ? own.free : later(own.free, own.outputs.take());
    own.free = start + times.forward.value;
    const double sent = later(own.output_link, own.free);
    own.output_link = sent + times.to_next.value;
    if (stage + 1 < stages_.size()) after(rank).outputs.push(own.output_link);
    keep(stage, {turn, Seconds{start}, Seconds{own.free}, Seconds{sent}, Seconds{own.output_link}});
    return true;
  }

  /// The gradient leaves when backward is done; exchange and update need not be.
  bool backward(std::size_t rank, std::size_t stage, const Turn& turn) {
    const StageTimes& times = stages_[stage];
    Rank& own = ranks_[rank];
    const bool from_next = stage + 1 < stages_.size();
    if (from_next && own.gradients.empty()) return false;
    const double start = from_next ? later(own.free, own.gradients.take()) : own.free;
    own.free = start + times.backward.value;
    last_starts_[stage] = start;
    const double sent = later(own.gradient_link, own.free);
    own.gradient_link = sent + (stage == 0 ? 0 : stages_[stage - 1].from_next.value);
    if (stage > 0) before(rank).gradients.push(own.gradient_link);
    const bool last = turn.micro_batch + 1 == form_.micro_batches;
    const Seconds end{start + (last ? times.last_backward : times.backward).value};
    keep(stage, {turn, Seconds{start}, end, Seconds{sent}, Seconds{own.gradient_link}});
    return true;
  }

  void keep(std::size_t stage, const Slot& slot) {
    if (record_ == nullptr || slot.turn.micro_batch >= shown_) return;
    (*record_)[stage].push_back(slot);
  }

  /// Runs so many turns of each rank, or as many as need none beyond them.
  void run_to(std::int64_t turns) {
    at_ = std::max(at_, turns);
    bool moved = true;
    const auto run = [&](std::size_t rank) {
      while (ranks_[rank].next < turns && run_turn(rank)) moved = true;
    };
    // A forward waits for the rank before, a backward for the one behind.
    while (std::exchange(moved, false)) {
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) run(rank);
      for (std::size_t rank = ranks_.size(); rank-- > 0;) run(rank);
    }
  }

  /// Runs rounds of so many turns each, which are alike, as long as they are complete by `end`;
  /// `recorded`: turns of each rank that are to be run one by one.
  void repeat(std::int64_t end, std::int64_t round, std::int64_t recorded) {
    for (const std::int64_t own = std::min(end, at_ + round_up(recorded, round)); at_ < own;) {
      run_to(std::min(own, at_ + round));
    }
    choosing_ = end - at_ > kFewRounds * round;
    SteadyState steady(stages_.size());
    for (std::int64_t since = 0; at_ + round <= end; ++since) {
      margins_.clear();
      run_to(at_ + round);
      if (!choosing_) continue;
      list_clocks();
      steady.note(clocks_, margins_);
      const std::int64_t left = (end - at_) / round;
      if (left > 0 && since % form_.stages() == 0) skip(steady.skip(left - 1, clocks_), round);
    }
    choosing_ = false;
    run_to(std::max(at_, end));
  }

  template <typename Do>
  void each_clock(const Do& take) {
    for (Rank& rank : ranks_) {
      take(rank.free);
      take(rank.output_link);
      take(rank.gradient_link);
      for (double& time : rank.outputs.waiting()) take(time);
      for (double& time : rank.gradients.waiting()) take(time);
    }
    for (double& start : last_starts_) take(start);
  }

  void list_clocks() {
    clocks_.clear();
    each_clock([&](double& clock) { clocks_.push_back(clock); });
  }

  /// Takes over the clocks after so many rounds more.
  void skip(std::int64_t rounds, std::int64_t round) {
    if (rounds <= 0) return;
    auto clock = clocks_.begin();
    each_clock([&](double& own) { own = *clock++; });
    at_ += rounds * round;
    for (Rank& rank : ranks_) rank.next += rounds * round;
  }

  PipelineForm form_;
  std::span<const StageTimes> stages_;
  std::int64_t shown_;
  PipelineRun* record_;
  std::vector<Rank> ranks_;
  std::vector<double> last_starts_;       ///< of each stage's backwards
  std::int64_t at_ = 0;                   ///< turns that have been run
  std::vector<double> clocks_, margins_;  ///< after a round, and of the choices in it
  bool choosing_ = false;                 ///< whether these are asked for
};

}  // namespace

std::vector<Seconds> last_turns(const PipelineForm& form, std::span<const StageTimes> stages) {
  PipelineRunner runner(form, stages);
  runner.run();
  return runner.last_starts();
}

PipelineRun run_pipeline(const PipelineForm& form, std::span<const StageTimes> stages,
                         std::int64_t shown) {
  PipelineRun record;
  PipelineRunner(form, stages, &record, shown).run();
  return record;
}

}  // namespace oracle
