#pragma once
// In which order does a rank of a pipeline run its micro-batches?
//
//   gpipe     all forwards, then all backwards                        Huang et al., NeurIPS 2019
//   1f1b      min(m, p − r) forwards, then one backward, one forward  Narayanan et al., SOSP 2019
//   chunks=v  rank r has the stages r, p + r, …, (v−1)p + r; micro-batches come in groups of p (the
//             last may be short), within a group stage by stage; min(mv, 2(p−1−r) + (v−1)p + 1)
//             forwards, then one backward, one forward; backwards with the stages reversed
//                                                                     Narayanan et al., SC 2021
//
// All of them without a pipeline: forward, backward, forward, backward, … (gradient accumulation).
// Worked: p = 2, m = 3, 1f1b: rank 0 runs F0 F1 B0 F2 B1 B2, rank 1 F0 B0 F1 B1 F2 B2.
//                                                                        tests/plan/pipeline_order_test.cpp

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

  std::int64_t stages() const { return ranks * chunks; }
  std::int64_t stage_of(std::int64_t rank, std::int64_t chunk) const {
    return chunk * ranks + rank;
  }
  std::int64_t rank_of(std::int64_t stage) const { return stage % ranks; }
  /// Passes of a rank in one direction.
  std::int64_t passes() const { return chunks * micro_batches; }
  std::int64_t turns() const { return 2 * passes(); }
};

struct Turn {
  bool forward = true;
  std::int64_t micro_batch = 0;
  std::int64_t chunk = 0;
  bool operator==(const Turn&) const = default;
};

/// Forwards that a rank is ahead of its backwards at most: micro-batches of its stages whose
/// activations it holds.
std::int64_t in_flight(const PipelineForm& form, std::int64_t rank);

/// Pass number `pass` of a rank in one direction, of a form with several chunks.
Turn pass_of_chunks(bool forward, std::int64_t pass, const PipelineForm& form);

/// Turn number `turn` of form.turns(), of a rank that is at most `ahead` forwards ahead.
inline Turn turn_at(std::int64_t turn, std::int64_t ahead, const PipelineForm& form) {
  const auto pass_at = [&](bool forward, std::int64_t pass) {
    return form.chunks == 1 ? Turn{forward, pass} : pass_of_chunks(forward, pass, form);
  };
  if (turn < ahead) return pass_at(true, turn);
  const std::int64_t later = turn - ahead;
  const std::int64_t forwards_left = form.passes() - ahead;
  if (later >= 2 * forwards_left) return pass_at(false, later - forwards_left);
  return later % 2 == 0 ? pass_at(false, later / 2) : pass_at(true, ahead + later / 2);
}

/// All turns of a rank in order.
std::vector<Turn> rank_order(const PipelineForm& form, std::int64_t rank);

}  // namespace oracle
