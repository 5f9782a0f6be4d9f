#pragma once
// How do ranks exchange data?
//
// A communicator runs the collectives of a plan on groups of ranks. Operations on one group start
// in the same order, with the same label, on every member. `start` returns at once; the buffers
// belong to the operation until `wait`. One folder per library (mpi/, nccl/), one row of the table
// in table.cpp.
//
// A watchdog is always on: an operation that has not completed in time ends the program, exit code
// 3, with a line that names this rank, the operation's label and the members that did not come. So
// does a member that starts another operation, or the same with another count or type.
//
// Bytes are counted as a plan counts them (sent_bytes in oracle/plan/plan.h): all_reduce
// 2(n−1)/n·S, reduce_scatter, all_gather and all_to_all (n−1)/n·S, with S the whole buffer;
// messages what is sent. Where n does not divide the count of an all_reduce, a member's share
// differs from the rule by less than two elements; the sum over the members is 2(n−1)·S exactly.
//
// Sums have the same bits in every run with the same groups, and on every member.
//                                                     tests/microbench/comm/communicator_test.cpp

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/elements/element.h"

namespace oracle {

using GroupId = std::uint32_t;
using Ticket = std::uint64_t;

/// One side of a message.
struct Peer {
  int rank = 0;  ///< of the world, or a place in a group
  void* data = nullptr;
  std::int64_t count = 0;
};

/// Counts are elements; buffers are the back end's memory.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::string library() const = 0;  ///< "Open MPI 4.1.4"
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// `ranks` in the group's order. Every rank of the world calls this in the same order with a
  /// group it is a member of or not, while nothing is under way; a rank outside gets an id that it
  /// must not use.
  virtual GroupId make_group(std::span<const int> ranks) = 0;

  /// Sum, in place.
  virtual Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                                  std::string label) = 0;
  /// `from` holds n parts of `part` elements in group order; `to` receives the sum of the own one.
  virtual Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                                      Element type, std::string label) = 0;
  /// `to` receives n parts of `part` elements in group order.
  virtual Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                                  Element type, std::string label) = 0;
  /// Both hold n parts; part i of `from` goes to member i.
  virtual Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                                  Element type, std::string label) = 0;
  /// Messages to and from any ranks (halos, pipeline), all of one ticket. A pair of ranks matches
  /// its messages in the order they start.
  virtual Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives,
                                Element type, std::string label) = 0;

  /// The same between members of a group, by their places in it. A pair matches them apart from its
  /// messages elsewhere. Throws Defect where a library has none.
  virtual Ticket start_group_messages(GroupId group, std::span<const Peer> sends,
                                      std::span<const Peer> receives, Element type,
                                      std::string label);

  virtual void wait(Ticket ticket) = 0;
  /// Whether the operation is complete, so that `wait`, which is still due, returns at once.
  virtual bool done(Ticket ticket) = 0;
  /// All ranks, watched over as everything else.
  virtual void barrier(std::string label) = 0;
  /// Every rank's text, in rank order, on rank 0; empty elsewhere.
  virtual std::vector<std::string> gather(std::string_view text, std::string label) = 0;

  /// Whether any rank says so, on every rank. No plan has this exchange: its bytes do not count.
  virtual bool any(bool mine, std::string label) = 0;

  /// Bytes this rank sent since the last reset, by the rule above.
  virtual std::int64_t bytes_sent() const = 0;
  virtual void reset_bytes() = 0;

 protected:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
};

/// How long an operation may take before the watchdog ends the program [s]; start-up and teardown
/// have the same time.
struct WatchdogOptions {
  double seconds = 60;
  bool compare = true;  ///< members compare what they take an operation to be: a small message each
};

struct CommunicatorRow {
  std::string_view name;  ///< "mpi"
  std::string_view text;
  std::unique_ptr<Communicator> (*make)(const WatchdogOptions& options);
};

/// Those that were compiled in.
std::vector<CommunicatorRow> all_communicators();

}  // namespace oracle
