#pragma once
// How do keys and values go round while attention computes?
//
// A pass goes from where a tensor lies to where the next rank's will lie: nothing is packed, so
// that no more is held than the plan says (oracle/plan/key_ring.h). It is under way while the next
// step of attention computes and complete behind it; what dies with the pass is given back then.
//                                                tests/validate/equivalence/strategies_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "validate/executor/micro_batch.h"

namespace oracle {

class KeyPasses {
 public:
  /// Both must outlive it.
  KeyPasses(const Backend& backend, Communicator& communicator)
      : backend_(backend), communicator_(communicator) {}

  /// Whether that is how a tensor moves.
  static bool serve(const Move& move) { return move.collective == Collective::ring_pass; }

  /// `operation` is a Move that these serve. Returns the bytes sent.
  double start(const Operation& operation, MicroBatch& batch, const std::string& label);
  bool under_way() const { return !passes_.empty(); }
  /// Waits for the first one, and returns the item it belongs to.
  std::uint32_t finish_first();

 private:
  struct Pass {
    Ticket ticket;
    std::uint32_t item;
    MicroBatch* batch;
    std::vector<Slot> dies;
  };

  const Backend& backend_;
  Communicator& communicator_;
  std::vector<Pass> passes_;  ///< in the order they started
};

}  // namespace oracle
