#pragma once
// In which order does a rank of a pipeline run its micro-batches?
//
//   gpipe     all forwards, then all backwards                        Huang et al., NeurIPS 2019
//   1f1b      min(m, p − r) forwards, then one backward, one forward  Narayanan et al., SOSP 2019
//   chunks=v  rank r has the stages r, p + r, …, (v−1)p + r; micro-batches come in groups of p (the
//             last may be short), within a group stage by stage; min(mv, 2(p−1−r) + (v−1)p + 1)
//             forwards, then one backward, one forward; backwards with the stages reversed
//                                                                     Narayanan et al., SC 2021
//   zb_h1     backward in two turns: B makes the gradients of inputs, which the rank before waits
//             for, and W those of weights, for which no one does. min(m, p − r) forwards, then one
//             B, the W of r micro-batches ago, one forward; the other Ws last. Of chunks
//             min(mv, p − r + (v−1)p) forwards first, in their order
//   zb_h2     2(p − r) − 1 forwards first, and the W of 2r micro-batches ago
//                                                           Qi et al., ICLR 2024, arXiv 2401.10241
//
// In pairs (expert_overlap=on), 1f1b begins with one forward more: each forward behind the last of
// them and the backward that follows are of two micro-batches, and run together.
//
// All of them without a pipeline: forward, backward, forward, backward, … (gradient accumulation).
// Worked: p = 2, m = 3, 1f1b: rank 0 runs F0 F1 B0 F2 B1 B2, rank 1 F0 B0 F1 B1 F2 B2; zb_h1: rank
// 1 runs F0 B0 F1 B1 W0 F2 B2 W1 W2.                        tests/plan/pipeline_order_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/plan/strategy/strategy.h"

namespace oracle {

/// More stages a rank than any network's blocks are worth.
inline constexpr std::int64_t kMostChunks = 64;

/// Of a pipeline of `ranks` × `chunks` stages; stage s lies on rank s mod `ranks`.
struct PipelineForm {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  std::int64_t ranks = 1;
  std::int64_t chunks = 1;  ///< stages of each rank
  std::int64_t micro_batches = 1;
  bool together = false;  ///< messages of experts go on beside computing: Stage::expert_messages

  /// Whether a forward and a backward are run together.
  bool pairs() const {
    return together && schedule == PipelineSchedule::one_f_one_b && micro_batches > 1;
  }
  std::int64_t stages() const { return ranks * chunks; }
  std::int64_t stage_of(std::int64_t rank, std::int64_t chunk) const {
    return chunk * ranks + rank;
  }
  std::int64_t rank_of(std::int64_t stage) const { return stage % ranks; }
  /// Whether backward is two turns.
  bool parts_backward() const { return ranks > 1 && oracle::parts_backward(schedule); }
  std::int64_t turns_of_a_pass() const { return parts_backward() ? 3 : 2; }
  /// Passes of a rank in one direction.
  std::int64_t passes() const { return chunks * micro_batches; }
  std::int64_t turns() const { return turns_of_a_pass() * passes(); }
};

/// What a turn runs of a micro-batch: its forward, its backward, or of a backward in two turns the
/// gradients of inputs, and later those of weights.
enum class TurnKind : std::uint8_t { forward, backward, weights };
inline constexpr std::size_t kTurnKindCount = 3;

struct Turn {
  TurnKind kind = TurnKind::forward;
  std::int64_t micro_batch = 0;
  std::int64_t chunk = 0;
  bool paired = false;  ///< run together with one of the other direction
  bool operator==(const Turn&) const = default;
  bool is_forward() const { return kind == TurnKind::forward; }
  /// Whether a stage runs it last.
  bool is_last(const PipelineForm& form) const {
    const TurnKind last = form.parts_backward() ? TurnKind::weights : TurnKind::backward;
    return kind == last && micro_batch + 1 == form.micro_batches;
  }
};

/// Forwards that a rank is ahead of its backwards at most: micro-batches of its stages whose
/// activations it holds.
std::int64_t in_flight(const PipelineForm& form, std::int64_t rank);

/// Turns of one direction that a stage runs by themselves: all, but of a form in pairs the first
/// forwards and the last backwards.
std::int64_t alone(const PipelineForm& form, TurnKind kind, std::int64_t stage);

/// Backwards of inputs that a rank is ahead of those of weights at most, once forwards are over but
/// for the last ones; 0 where backward is one turn.
std::int64_t weights_lag(const PipelineForm& form, std::int64_t rank);

/// Pass number `pass` of a rank in one direction, of a form with several chunks.
Turn pass_of_chunks(TurnKind kind, std::int64_t pass, const PipelineForm& form);

/// Passes that were run.
struct PassCounts {
  std::array<std::int64_t, kTurnKindCount> by_kind{};

  std::int64_t& operator[](TurnKind kind) { return by_kind[static_cast<std::size_t>(kind)]; }
  std::int64_t operator[](TurnKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  std::int64_t turns() const { return by_kind[0] + by_kind[1] + by_kind[2]; }
};

/// The turns of a rank, one after the other.
class RankOrder {
 public:
  RankOrder() = default;
  RankOrder(const PipelineForm& form, std::int64_t rank)
      : form_(form), ahead_(in_flight(form, rank)), lag_(weights_lag(form, rank)) {}

  bool is_over() const { return done_.turns() == form_.turns(); }
  /// The next one.
  Turn turn() const {
    const TurnKind kind = next();
    Turn turn =
        form_.chunks == 1 ? Turn{kind, done_[kind]} : pass_of_chunks(kind, done_[kind], form_);
    turn.paired = is_paired(kind, done_[kind]);
    return turn;
  }
  void advance() { ++done_[next()]; }

  const PassCounts& done() const { return done_; }
  /// As if it had run so many times more what it has since `before`.
  void repeat(std::int64_t times, const PassCounts& before) {
    for (std::size_t k = 0; k < kTurnKindCount; ++k) {
      done_.by_kind[k] += times * (done_.by_kind[k] - before.by_kind[k]);
    }
  }

  std::int64_t ahead() const { return ahead_; }
  /// Whether its pass number `pass` in a direction is run together with one of the other.
  bool is_paired(TurnKind kind, std::int64_t pass) const {
    if (!form_.pairs()) return false;
    return kind == TurnKind::forward ? pass >= ahead_ - 1 : pass <= form_.passes() - ahead_;
  }
  /// Turns after which each kind is run in its turn, and after which forwards are over.
  std::int64_t rounds_begin() const { return ahead_ + 2 * lag_; }
  std::int64_t rounds_end() const {
    const std::int64_t rounds = form_.passes() - ahead_;
    const std::int64_t parted = form_.parts_backward() ? rounds - lag_ : 0;
    return ahead_ + 2 * rounds + (parted > 0 ? parted : 0);
  }

 private:
  TurnKind next() const {
    const std::int64_t passes = form_.passes(), forward = done_[TurnKind::forward],
                       backward = done_[TurnKind::backward];
    if (form_.parts_backward()) {
      const std::int64_t waiting = backward - done_[TurnKind::weights];
      if (waiting > lag_ || backward == passes) return TurnKind::weights;
    }
    return forward < passes && forward < ahead_ + backward ? TurnKind::forward : TurnKind::backward;
  }

  PipelineForm form_;
  std::int64_t ahead_ = 1, lag_ = 0;
  PassCounts done_;
};

/// All turns of a rank in order.
std::vector<Turn> rank_order(const PipelineForm& form, std::int64_t rank);

}  // namespace oracle
