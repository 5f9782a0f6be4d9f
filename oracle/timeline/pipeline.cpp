#include "oracle/timeline/pipeline.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

/// One time of each of several pipelines.
template <std::size_t kPipelines>
using Times = std::array<double, kPipelines>;

template <std::size_t kPipelines>
Times<kPipelines> sum(Times<kPipelines> times, const Times<kPipelines>& more) {
  for (std::size_t p = 0; p < kPipelines; ++p) times[p] += more[p];
  return times;
}

/// When messages arrive that have not been taken yet. They are sent and taken in one order.
template <typename Time>
class Arrivals {
 public:
  bool empty() const { return taken_ == times_.size(); }
  void push(const Time& time) { times_.push_back(time); }
  Time take() {
    const Time time = times_[taken_++];
    if (empty()) {
      times_.clear();
      taken_ = 0;
    }
    return time;
  }
  std::span<Time> waiting() { return std::span(times_).subspan(taken_); }

 private:
  std::vector<Time> times_;
  std::size_t taken_ = 0;
};

/// Runs several pipelines of one form: whose turn it is depends on no time.
template <std::size_t kPipelines>
class PipelineRunner {
 public:
  using Time = Times<kPipelines>;
  using Stages = std::array<std::span<const StageTimes>, kPipelines>;

  /// `record`: takes the slots of the first `shown` micro-batches of the first one; null: none.
  PipelineRunner(const PipelineForm& form, const Stages& pipelines, PipelineRun* record = nullptr,
                 std::int64_t shown = 0)
      : form_(form),
        shown_(shown),
        record_(record),
        stages_(pipelines.front().size()),
        ranks_(static_cast<std::size_t>(form.ranks)) {
    ensure(form.stages() == static_cast<std::int64_t>(stages_.size()), "a pipeline's stages");
    for (std::size_t p = 0; p < kPipelines; ++p) put(pipelines[p], p);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].order = RankOrder(form_, static_cast<std::int64_t>(r));
    }
    if (record_ != nullptr) record_->assign(stages_.size(), {});
  }

  /// Of one stage a rank whose backward is one turn: turns in an order in which what each waits for
  /// has just been sent.
  void run_in_step() {
    std::vector<Time> arrivals(static_cast<std::size_t>(form_.micro_batches));
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      Rank& own = ranks_[r];
      for (std::int64_t m = 0; m < own.order.ahead(); ++m) {
        Time& arrival = arrivals[static_cast<std::size_t>(m)];
        send_output(own, stages_[r], r == 0 ? own.free : later(own.free, arrival),
                    own.order.is_paired(TurnKind::forward, m));
        arrival = own.output_link;
      }
    }
    for (std::int64_t m = 0; m < form_.micro_batches; ++m) {
      for (std::size_t r = ranks_.size(); r-- > 0;) {
        Rank& own = ranks_[r];
        const bool last = r + 1 == ranks_.size();
        send_gradient(own, stages_[r],
                      last ? own.free : later(own.free, ranks_[r + 1].gradient_link),
                      own.order.is_paired(TurnKind::backward, m));
        const std::int64_t next = own.order.ahead() + m;
        if (next >= form_.micro_batches) continue;
        send_output(own, stages_[r], r == 0 ? own.free : later(own.free, ranks_[r - 1].output_link),
                    own.order.is_paired(TurnKind::forward, next));
      }
    }
  }

  void run() {
    const std::int64_t all = form_.turns();
    if (form_.schedule == PipelineSchedule::gpipe &&
        ranks_.front().order.ahead() == form_.passes()) {
      repeat(all / 2, 1, shown_ * form_.chunks);
      repeat(all, 1, shown_ * form_.chunks);
    } else {
      run_rounds();
    }
    run_to(all);
    for (const Rank& rank : ranks_) {
      ensure(rank.order.is_over(), "every turn of a pipeline is run");
    }
  }

  std::vector<Seconds> last_starts(std::size_t pipeline) const {
    std::vector<Seconds> starts;
    starts.reserve(stages_.size());
    for (const OneStage& stage : stages_) starts.emplace_back(stage.last_start[pipeline]);
    return starts;
  }

 private:
  struct OneStage {
    Time forward{}, backward{}, weights{}, last_backward{};
    Time paired_forward{}, paired_backward{};
    Time to_next{}, to_before{};  ///< messages
    Time last_start{};            ///< of its backwards, or their second turns
  };
  /// In its order; `free` and the links that take its messages on, until when they are busy.
  struct Rank {
    RankOrder order;
    PassCounts before;  ///< the round run last
    Time free{}, output_link{}, gradient_link{};
    Arrivals<Time> outputs, gradients;
  };

  void put(std::span<const StageTimes> pipeline, std::size_t p) {
    for (std::size_t s = 0; s < pipeline.size(); ++s) {
      OneStage& stage = stages_[s];
      stage.forward[p] = pipeline[s].forward.value;
      stage.backward[p] = pipeline[s].backward.value;
      stage.weights[p] = pipeline[s].weights.value;
      stage.paired_forward[p] = pipeline[s].paired_forward.value;
      stage.paired_backward[p] = pipeline[s].paired_backward.value;
      stage.last_backward[p] = pipeline[s].last_backward.value;
      stage.to_next[p] = pipeline[s].to_next.value;
      if (s > 0) stage.to_before[p] = pipeline[s - 1].from_next.value;
    }
  }

  Rank& after(std::size_t rank) { return ranks_[rank + 1 < ranks_.size() ? rank + 1 : 0]; }
  Rank& before(std::size_t rank) { return ranks_[rank > 0 ? rank - 1 : ranks_.size() - 1]; }

  /// The later of two clocks.
  Time later(const Time& one, const Time& other) {
    Time latest;
    for (std::size_t p = 0; p < kPipelines; ++p) {
      if (choosing_) margins_.push_back(one[p] - other[p]);
      latest[p] = std::max(one[p], other[p]);
    }
    return latest;
  }

  /// A forward, and when its message leaves.
  Time send_output(Rank& own, const OneStage& stage, const Time& start, bool paired) {
    own.free = sum(start, paired ? stage.paired_forward : stage.forward);
    const Time sent = later(own.output_link, own.free);
    own.output_link = sum(sent, stage.to_next);
    return sent;
  }

  /// A backward. The gradient leaves when it is done; exchange and update need not be.
  Time send_gradient(Rank& own, OneStage& stage, const Time& start, bool paired) {
    own.free = sum(start, paired ? stage.paired_backward : stage.backward);
    stage.last_start = start;
    const Time sent = later(own.gradient_link, own.free);
    own.gradient_link = sum(sent, stage.to_before);
    return sent;
  }

  /// Runs the next turn of a rank; whether what it waits for has been sent.
  bool run_turn(std::size_t rank) {
    const Turn turn = ranks_[rank].order.turn();
    const auto stage =
        static_cast<std::size_t>(form_.stage_of(static_cast<std::int64_t>(rank), turn.chunk));
    if (!run(rank, stage, turn)) return false;
    ranks_[rank].order.advance();
    return true;
  }

  bool run(std::size_t rank, std::size_t stage, const Turn& turn) {
    switch (turn.kind) {
      case TurnKind::forward:
        return forward(rank, stage, turn);
      case TurnKind::backward:
        return backward(rank, stage, turn);
      case TurnKind::weights:
        break;
    }
    return weights(rank, stage, turn);
  }

  bool forward(std::size_t rank, std::size_t stage, const Turn& turn) {
    Rank& own = ranks_[rank];
    if (stage > 0 && own.outputs.empty()) return false;
    const Time start = stage == 0 ? own.free : later(own.free, own.outputs.take());
    const Time sent = send_output(own, stages_[stage], start, turn.paired);
    if (stage + 1 < stages_.size()) after(rank).outputs.push(own.output_link);
    if (record_ != nullptr) keep(stage, turn, start, own.free, sent, own.output_link);
    return true;
  }

  bool backward(std::size_t rank, std::size_t stage, const Turn& turn) {
    OneStage& times = stages_[stage];
    Rank& own = ranks_[rank];
    const bool from_next = stage + 1 < stages_.size();
    if (from_next && own.gradients.empty()) return false;
    const Time start = from_next ? later(own.free, own.gradients.take()) : own.free;
    const Time sent = send_gradient(own, times, start, turn.paired);
    if (stage > 0) before(rank).gradients.push(own.gradient_link);
    if (record_ != nullptr) {
      keep(stage, turn, start, end_of(stage, turn, start), sent, own.gradient_link);
    }
    return true;
  }

  /// Waits for no one and sends nothing.
  bool weights(std::size_t rank, std::size_t stage, const Turn& turn) {
    Rank& own = ranks_[rank];
    const Time start = own.free;
    own.free = sum(start, stages_[stage].weights);
    stages_[stage].last_start = start;
    if (record_ != nullptr) {
      keep(stage, turn, start, end_of(stage, turn, start), own.free, own.free);
    }
    return true;
  }

  /// Of a turn that the rank has just run; the last one of a stage goes on.
  Time end_of(std::size_t stage, const Turn& turn, const Time& start) const {
    const Rank& own = ranks_[stage % ranks_.size()];
    return turn.is_last(form_) ? sum(start, stages_[stage].last_backward) : own.free;
  }

  void keep(std::size_t stage, const Turn& turn, const Time& start, const Time& end,
            const Time& sent, const Time& arrived) {
    if (turn.micro_batch >= shown_) return;
    const auto first = [](const Time& time) { return Seconds{time.front()}; };
    (*record_)[stage].push_back({turn, first(start), first(end), first(sent), first(arrived)});
  }

  /// Runs so many turns of each rank, or as many as need none beyond them.
  void run_to(std::int64_t turns) {
    at_ = std::max(at_, turns);
    bool moved = true;
    const auto run = [&](std::size_t rank) {
      while (ranks_[rank].order.done().turns() < turns && run_turn(rank)) moved = true;
    };
    // A forward waits for the rank before, a backward for the one behind.
    while (std::exchange(moved, false)) {
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) run(rank);
      for (std::size_t rank = ranks_.size(); rank-- > 0;) run(rank);
    }
  }

  /// Runs forwards until all kinds of turns follow each other, these rounds, and what is left over.
  void run_rounds() {
    std::int64_t begin = 0, end = form_.turns();
    for (const Rank& rank : ranks_) {
      begin = std::max(begin, rank.order.rounds_begin());
      end = std::min(end, rank.order.rounds_end());
    }
    const std::int64_t turns = form_.turns_of_a_pass();
    run_to(std::min(begin, form_.turns()));
    if (form_.chunks == 1) return repeat(end, turns, turns * shown_);
    // A last group of fewer micro-batches is not like the others.
    end -= turns * form_.chunks * (form_.micro_batches % form_.ranks);
    repeat(end, turns * form_.stages(), turns * form_.chunks * shown_);
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
      for (Rank& rank : ranks_) rank.before = rank.order.done();
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
    const auto take_all = [&](Time& times) { std::for_each(times.begin(), times.end(), take); };
    for (Rank& rank : ranks_) {
      take_all(rank.free);
      take_all(rank.output_link);
      take_all(rank.gradient_link);
      for (Time& time : rank.outputs.waiting()) take_all(time);
      for (Time& time : rank.gradients.waiting()) take_all(time);
    }
    for (OneStage& stage : stages_) take_all(stage.last_start);
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
    for (Rank& rank : ranks_) rank.order.repeat(rounds, rank.before);
  }

  PipelineForm form_;
  std::int64_t shown_;
  PipelineRun* record_;
  std::vector<OneStage> stages_;
  std::vector<Rank> ranks_;
  std::int64_t at_ = 0;                   ///< turns that have been run
  std::vector<double> clocks_, margins_;  ///< after a round, and of the choices in it
  bool choosing_ = false;                 ///< whether these are asked for
};

}  // namespace

std::vector<Seconds> last_turns(const PipelineForm& form, std::span<const StageTimes> stages) {
  PipelineRunner<1> runner(form, {stages});
  runner.run();
  return runner.last_starts(0);
}

std::array<std::vector<Seconds>, 2> last_turns(const PipelineForm& form,
                                               std::span<const StageTimes> one,
                                               std::span<const StageTimes> other) {
  // Each may be predicted from where it repeats itself.
  if (form.passes() > kFewRounds) return {last_turns(form, one), last_turns(form, other)};
  PipelineRunner<2> runner(form, {one, other});
  const bool in_step = form.chunks == 1 && !form.parts_backward();
  in_step ? runner.run_in_step() : runner.run();
  return {runner.last_starts(0), runner.last_starts(1)};
}

PipelineRun run_pipeline(const PipelineForm& form, std::span<const StageTimes> stages,
                         std::int64_t shown) {
  PipelineRun record;
  PipelineRunner<1>(form, {stages}, &record, shown).run();
  return record;
}

}  // namespace oracle
