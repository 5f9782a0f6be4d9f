#pragma once
// How does a rank answer when its program and its MPI library hang?
//
// Each rank listens on a TCP port of its own; whoever knows the job's token gets the rank's
// snapshot and the connection is closed. A thread of the watchdog answers, so a rank answers as
// long as its process runs at all: no connection means that the process is gone, a connection
// without an answer that it is stopped. Where each rank listens is shared once, at start-up.
//                                                         tests/microbench/comm/beacon_test.cpp

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/comm/blame.h"

namespace oracle {

/// Where a rank can be asked.
struct BeaconAddress {
  std::string host;
  int pid = 0;
  std::uint16_t port = 0;
  std::vector<std::uint32_t> hosts;  ///< IPv4 addresses of its host, in network order

  bool operator==(const BeaconAddress&) const = default;
};

std::string to_text(const BeaconAddress& address);
std::optional<BeaconAddress> read_beacon_address(std::string_view text);

/// Why a rank asks. One that reports a fault tells the others so: they leave the word to it.
enum class Purpose : std::uint8_t { look, report };

class Beacon {
 public:
  Beacon();
  ~Beacon();
  Beacon(const Beacon&) = delete;
  Beacon& operator=(const Beacon&) = delete;

  /// Becomes readable when another rank asks.
  int descriptor() const { return listener_; }
  const BeaconAddress& address() const { return address_; }

  /// Answers who asks now with `snapshot`. The purpose, or nothing where it was no rank of this
  /// job.
  std::optional<Purpose> answer(std::uint64_t token, const std::string& snapshot) const;

 private:
  int listener_ = -1;
  BeaconAddress address_;
};

struct Question {
  std::uint64_t token = 0;
  Purpose purpose = Purpose::look;
  std::chrono::milliseconds limit{1500};
};

/// Asks `ranks`, indices of `addresses`, all at once. `serve` is called whenever `own` has a
/// caller, since those that are asked may be asking as well.
std::map<int, Answer> ask(const std::vector<int>& ranks,
                          const std::vector<BeaconAddress>& addresses, const Question& question,
                          const Beacon& own, const std::function<void()>& serve);

}  // namespace oracle
