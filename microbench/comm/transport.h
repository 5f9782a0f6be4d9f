#pragma once
// What must a library offer, so that collectives can run on it?
//
// Nonblocking messages between the members of a group, and no more: the collectives are schedules
// (schedule.h) that the worker runs over them. Messages with one tag from one member to another are
// received in the order they were sent. All calls but two come from one thread, the worker's.
//                                                        tests/microbench/comm/memory_transport.h

#include <cstdint>
#include <span>

#include "microbench/comm/meeting.h"

namespace oracle {

class Transport : public Meeting {
 public:
  using Group = int;
  using Request = int;

  struct Arrival {
    bool done = false;
    bool truncated = false;  ///< what was sent is longer than the room for it
    std::int64_t bytes = 0;  ///< of a receive that is done
  };

  /// Members only, in the group's order. Blocks.
  virtual Group make_group(std::span<const int> ranks, int number) = 0;
  /// Tags up to 32767, the least that MPI grants.
  virtual Request send(Group group, int to, const void* data, std::int64_t bytes, int tag) = 0;
  virtual Request receive(Group group, int from, void* data, std::int64_t bytes, int tag) = 0;
  /// A request that is done is given back by this call.
  virtual Arrival test(Request request) = 0;

  /// Ends every rank with this exit code.
  virtual void abort(int code) = 0;
};

}  // namespace oracle
