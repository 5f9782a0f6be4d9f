#pragma once
// What has this rank started, and what of it is under way?
//
// The journal is what a rank tells another that asks who did not come: how many operations it
// started on each group, how many messages to and from each rank, the texts of the last ones, and
// what it waits for. Operations of a group are numbered in the order they start, so "number 41 has
// started there" needs no agreement beforehand.
//
// A snapshot travels as lines of text; what cannot be read as one is refused, never guessed.
//                                                        tests/microbench/comm/journal_test.cpp

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "microbench/comm/communicator.h"

namespace oracle {

/// Making groups and ending, which all ranks do in one order, are numbered as a group's operations.
inline constexpr GroupId kSetupGroup = 0xFFFFFFFF;

/// One side of a message: the `number`-th between this rank and `peer` in this direction.
struct MessageSide {
  int peer = 0;
  bool out = false;
  std::uint64_t number = 0;
};

/// An operation under way.
struct Pending {
  Ticket ticket = 0;
  GroupId group = 0;
  std::uint64_t number = 0;        ///< of a collective
  std::vector<int> members;        ///< of the world; empty for messages
  std::vector<MessageSide> sides;  ///< of messages
  std::string text;                ///< all_reduce "conv1" of 1000 fp32
  std::chrono::steady_clock::time_point since;
};

/// What a rank tells of itself.
struct Snapshot {
  int rank = -1;
  std::string host;
  int pid = 0;
  std::map<GroupId, std::uint64_t> started;
  std::map<std::pair<GroupId, int>, std::uint64_t> sent;      ///< messages started, by peer
  std::map<std::pair<GroupId, int>, std::uint64_t> received;  ///< receives started, by peer
  std::map<std::pair<GroupId, std::uint64_t>, std::string> recent;
  std::vector<std::string> pending;  ///< oldest first
  std::string last;                  ///< completed
};

std::string to_text(const Snapshot& snapshot);
std::optional<Snapshot> read_snapshot(std::string_view text);

/// Written by the program's thread and the engine's, read by the watchdog's.
class Journal {
 public:
  void set_self(int rank, std::string host, int pid);
  /// Numbers the operation, or its messages, and enters it as under way since now.
  void begin(Pending& operation);
  void end(Ticket ticket);

  Snapshot snapshot() const;
  /// The one under way for longest.
  std::optional<Pending> oldest() const;
  std::optional<Pending> pending(Ticket ticket) const;

 private:
  mutable std::mutex mutex_;
  Snapshot self_;
  std::map<Ticket, Pending> pending_;
  std::deque<std::pair<GroupId, std::uint64_t>> order_;  ///< of `recent`, oldest first
};

}  // namespace oracle
