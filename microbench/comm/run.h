#pragma once
// How does an operation go on, whenever its messages have arrived?
//
// A run owns the state of one started operation. `advance` posts what can be posted, tests what is
// under way and returns without blocking; the engine calls it until it is done.
//
// Every member first sends its neighbour what it takes the operation to be (label, kind, count,
// type): a rank whose program differs is found by the first message, not by a wrong sum.
//                                                     tests/microbench/comm/communicator_test.cpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/comm/schedule.h"
#include "microbench/comm/transport.h"

namespace oracle {

/// Two ranks do not mean the same operation.
class Mismatch : public std::runtime_error {
 public:
  /// `peer`: rank of the world that the difference was seen with.
  Mismatch(int peer, const std::string& what) : std::runtime_error(what), peer_(peer) {}
  int peer() const { return peer_; }

 private:
  int peer_;
};

struct Progress {
  bool moved = false;
  bool done = false;
};

class Run {
 public:
  virtual ~Run() = default;
  virtual Progress advance(Transport& transport) = 0;
  /// Bytes of the schedule's messages that leave this rank.
  virtual std::int64_t bytes() const = 0;

 protected:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
};

/// The group as the transport knows it, and this rank's place in it.
struct RunGroup {
  Transport::Group group = 0;
  Member member;
  std::vector<int> ranks;  ///< of the world, by place
};

/// What every member of a group must agree on.
struct Agreement {
  std::uint64_t label = 0;  ///< a hash of it
  std::uint64_t kind = 0;
  std::int64_t count = 0;
  std::uint64_t type = 0;
  std::uint64_t sequence = 0;

  bool operator==(const Agreement&) const = default;
};

struct CollectiveCall {
  Schedule schedule;
  const void* given = nullptr;
  void* kept = nullptr;
  std::size_t element_bytes = 1;
  Element type = Element::fp32;  ///< of what is added
  Agreement agreement;
  bool compare = true;
};

std::unique_ptr<Run> make_collective_run(const RunGroup& group, CollectiveCall call);

/// Messages of `world`; those past 1 GiB go in pieces.
std::unique_ptr<Run> make_message_run(Transport::Group world, const std::vector<Peer>& sends,
                                      const std::vector<Peer>& receives, std::size_t element_bytes);

}  // namespace oracle
