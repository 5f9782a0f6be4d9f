#include "oracle/timeline/pipeline.h"

#include <algorithm>
#include <cstdint>

#include "oracle/timeline/steady.h"

namespace oracle {
namespace {

/// Fewer rounds than this are run one by one.
constexpr std::int64_t kFewRounds = 512;

class PipelineRunner {
 public:
  /// `record`: takes the slots of the first `shown` micro-batches; null: none.
  PipelineRunner(std::span<const StageTimes> stages, std::int64_t micro_batches,
                 PipelineRun* record = nullptr, std::int64_t shown = 0)
      : stages_(stages),
        micro_batches_(micro_batches),
        shown_(shown),
        record_(record),
        clocks_(stages.size() * kClocks) {
    if (record_ != nullptr) record_->assign(stages.size(), {});
  }

  void run(PipelineSchedule schedule) {
    const bool all_forwards_first = stages_.size() > 1 && schedule == PipelineSchedule::gpipe;
    all_forwards_first ? run_gpipe() : run_1f1b();
  }

  std::vector<Seconds> last_starts() const {
    std::vector<Seconds> starts;
    for (std::size_t s = 0; s < stages_.size(); ++s) starts.emplace_back(clock(s, kLastStart));
    return starts;
  }

 private:
  /// Of a stage: when it is free, when its last backward began, and when its last output and
  /// gradient have arrived, and the links that carried them are free.
  enum Clock : std::uint8_t { kFree, kLastStart, kOutput, kGradient };
  static constexpr std::size_t kClocks = 4;

  double& clock(std::size_t stage, Clock which) { return clocks_[stage * kClocks + which]; }
  double clock(std::size_t stage, Clock which) const { return clocks_[stage * kClocks + which]; }

  /// The later of two clocks.
  double later(double one, double other) {
    if (choosing_) margins_.push_back(one - other);
    return std::max(one, other);
  }

  void forward(std::size_t stage, std::int64_t micro_batch) {
    const StageTimes& times = stages_[stage];
    double& free = clock(stage, kFree);
    const double start = stage == 0 ? free : later(free, clock(stage - 1, kOutput));
    free = start + times.forward.value;
    double& link = clock(stage, kOutput);
    const double sent = later(link, free);
    link = sent + times.to_next.value;
    keep(stage, {{true, micro_batch}, Seconds{start}, Seconds{free}, Seconds{sent}, Seconds{link}});
  }

  /// The gradient leaves when backward is done; exchange and update need not be.
  void backward(std::size_t stage, std::int64_t micro_batch) {
    const StageTimes& times = stages_[stage];
    double& free = clock(stage, kFree);
    const bool from_next = stage + 1 < stages_.size();
    const double start = from_next ? later(free, clock(stage + 1, kGradient)) : free;
    free = start + times.backward.value;
    clock(stage, kLastStart) = start;
    double& link = clock(stage, kGradient);
    const double sent = later(link, free);
    link = sent + (stage == 0 ? 0 : stages_[stage - 1].from_next.value);
    const bool last = micro_batch + 1 == micro_batches_;
    const Seconds end{start + (last ? times.last_backward : times.backward).value};
    keep(stage, {{false, micro_batch}, Seconds{start}, end, Seconds{sent}, Seconds{link}});
  }

  void keep(std::size_t stage, const Slot& slot) {
    if (record_ == nullptr || slot.turn.micro_batch >= shown_) return;
    (*record_)[stage].push_back(slot);
  }

  /// Runs `round` of `first` up to `end`, which are alike.
  template <typename Round>
  void repeat(std::int64_t first, std::int64_t end, const Round& round) {
    std::int64_t next = first;
    for (const std::int64_t recorded = std::min(end, first + shown_); next < recorded; ++next) {
      round(next);
    }
    choosing_ = end - next > kFewRounds;
    SteadyState steady(stages_.size());
    for (std::int64_t since = 0; next < end; ++next, ++since) {
      margins_.clear();
      round(next);
      if (!choosing_) continue;
      steady.note(clocks_, margins_);
      if (since % static_cast<std::int64_t>(stages_.size()) == 0) {
        next += steady.skip(end - next - 1, clocks_);
      }
    }
    choosing_ = false;
  }

  void run_gpipe() {
    repeat(0, micro_batches_, [&](std::int64_t i) {
      for (std::size_t s = 0; s < stages_.size(); ++s) forward(s, i);
    });
    repeat(0, micro_batches_, [&](std::int64_t i) {
      for (std::size_t s = stages_.size(); s-- > 0;) backward(s, i);
    });
  }

  /// In round i a stage that holds h micro-batches runs forward i + h − 1, then backward i, as far
  /// as there are such. The stage before it has sent what it reads in the round before.
  void run_1f1b() {
    const auto count = static_cast<std::int64_t>(stages_.size());
    const auto round = [&](std::int64_t i) {
      for (std::size_t s = stages_.size(); s-- > 0;) {
        const std::int64_t entering = i + count - static_cast<std::int64_t>(s) - 1;
        if (entering >= 0 && entering < micro_batches_) forward(s, entering);
        if (i >= 0) backward(s, i);
      }
    };
    const std::int64_t full = std::max<std::int64_t>(0, micro_batches_ - count + 1);
    for (std::int64_t i = 1 - count; i < 0; ++i) round(i);
    repeat(0, full, round);
    for (std::int64_t i = full; i < micro_batches_; ++i) round(i);
  }

  std::span<const StageTimes> stages_;
  std::int64_t micro_batches_, shown_;
  PipelineRun* record_;
  std::vector<double> clocks_;   ///< kClocks a stage
  std::vector<double> margins_;  ///< of the choices of the round under way
  bool choosing_ = false;        ///< whether they are asked for
};

}  // namespace

std::vector<Seconds> last_turns(PipelineSchedule schedule, std::span<const StageTimes> stages,
                                std::int64_t micro_batches) {
  PipelineRunner runner(stages, micro_batches);
  runner.run(schedule);
  return runner.last_starts();
}

PipelineRun run_pipeline(PipelineSchedule schedule, std::span<const StageTimes> stages,
                         std::int64_t micro_batches, std::int64_t shown) {
  PipelineRun record;
  PipelineRunner(stages, micro_batches, &record, shown).run(schedule);
  return record;
}

}  // namespace oracle
