#pragma once
// Messages between threads of one process that play ranks: the engine without a library below it.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/comm/transport.h"

namespace oracle::fakes {

/// What the ranks share.
class Hub {
 public:
  explicit Hub(int ranks) : ranks_(ranks), texts_(static_cast<std::size_t>(ranks)) {}

  int ranks() const { return ranks_; }
  /// group's number, from, to, tag
  using Channel = std::tuple<int, int, int, int>;
  void put(const Channel& channel, std::vector<std::byte> message);
  /// The first message that has arrived, or none.
  std::unique_ptr<std::vector<std::byte>> take(const Channel& channel);
  std::vector<std::string> share(int rank, std::string_view text);

 private:
  int ranks_;
  std::mutex mutex_;
  std::condition_variable shared_;
  std::map<Channel, std::deque<std::vector<std::byte>>> messages_;
  std::vector<std::string> texts_;
  int arrived_ = 0;
};

std::unique_ptr<Transport> make_memory_transport(Hub& hub, int rank);

/// What one rank's watchdog said, empty where it did not.
using Said = std::vector<std::string>;

/// Runs `program` as each of `ranks` ranks. An exception ends its rank; EnvironmentError is what a
/// wait throws after the watchdog has spoken.
Said run_ranks(int ranks, const WatchdogOptions& options,
               const std::function<void(Communicator&)>& program);

}  // namespace oracle::fakes
