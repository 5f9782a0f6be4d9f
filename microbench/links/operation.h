#pragma once
// How does a rank carry out one measured operation, and is what it received right?
//
// Buffers hold whole numbers below 101 that differ by rank and element, so that a sum over ranks is
// exact in fp32 whatever its order (up to 2^24/100 ranks). Timed calls work on zeros: sums of sums
// would leave the numbers that fp32 adds at full speed. What is taken, and not summed up in place,
// goes to memory that other layers have worked on since it was last given back, as in a step: to
// one place after the other, more of them than a core's own caches hold.
//
// Worked: element 3 of rank 2 is (7·3 + 13·2) mod 101 = 47; over ranks 0 and 2 it sums to 68
//                                               tests/microbench/links/operation_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/links/link_memory.h"
#include "microbench/links/sweep.h"

namespace oracle {

inline constexpr int kStreamMessages = 16;

float exact_value(int rank, std::int64_t element);

/// One group's operation of `bytes`, on a rank that is a member of it.
class LinkOperationRun {
 public:
  LinkOperationRun(Communicator& communicator, const MakeBuffer& make_buffer, LinkAction action,
                   std::vector<int> ranks, GroupId group, std::int64_t bytes);

  /// The whole buffer as a plan counts it: `bytes`, rounded up to parts that are equal.
  std::int64_t bytes() const { return parts_ * part_ * 4; }

  /// Once, to the end. Of a ping-pong both ways.
  void run();
  /// Starts one transfer that `run` would wait for; of collectives only.
  Ticket start();

  /// Runs once on numbers that are known. Empty, or the first element that is wrong.
  std::string check();
  /// Zeros, for what is timed.
  void clear();

 private:
  /// Where the next that is taken goes.
  void* place_to_take();
  void ping_pong();
  void stream();
  void fill();
  float due(std::int64_t element) const;

  Communicator& communicator_;
  LinkAction action_;
  std::vector<int> ranks_;
  GroupId group_;
  std::int64_t place_ = 0;  ///< of this rank in the group
  std::int64_t parts_ = 1;
  std::int64_t part_ = 1;               ///< elements
  std::int64_t taken_ = 0, apart_ = 0;  ///< bytes: of what is taken, and between two places
  std::int64_t places_ = 1, next_ = 0;
  std::unique_ptr<Buffer> given_, kept_, word_;
};

}  // namespace oracle
