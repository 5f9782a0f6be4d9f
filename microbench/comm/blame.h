#pragma once
// Who did not come?
//
// From what the other ranks answer, or do not, one sentence about the operation that hangs. In this
// order: ranks whose process is gone; ranks that do not answer (stopped, or their host is lost);
// members that have not started the operation, with what they are at instead; and where all came,
// that the data did not arrive.
//                                                           tests/microbench/comm/blame_test.cpp

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "microbench/comm/journal.h"

namespace oracle {

/// Where a rank is.
struct RankPlace {
  std::string host;
  int pid = 0;
};

struct Answer {
  enum class State : std::uint8_t { answered, silent, gone };
  State state = State::silent;
  Snapshot snapshot;  ///< where it answered
};

/// "rank 2 (node7, pid 4711)"
std::string name_of(int rank, const std::vector<RankPlace>& places);

/// The ranks that an operation needs besides or with this one.
std::set<int> partners(const Pending& operation);

/// "all_reduce "conv1" of 1000 fp32 over ranks 0 1 2"
std::string operation_text(const Pending& operation);

/// Why `operation` of rank `self` hangs.
std::string why_it_hangs(int self, const Pending& operation, const std::map<int, Answer>& answers,
                         const std::vector<RankPlace>& places);

/// The ranks whose process is gone, or empty.
std::string who_is_gone(const std::map<int, Answer>& answers, const std::vector<RankPlace>& places);

/// Has each member that is not gone started `operation`? One that does not answer may be at its
/// start still, where it knows no one yet.
bool all_started(const Pending& operation, const std::map<int, Answer>& answers);

/// Which members of a collective started it otherwise than most do; empty where the answers do not
/// show it.
std::string who_differs(int self, const Pending& operation, const std::map<int, Answer>& answers,
                        const std::vector<RankPlace>& places);

}  // namespace oracle
