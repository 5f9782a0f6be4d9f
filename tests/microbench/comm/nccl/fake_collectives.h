#pragma once
// Collectives of a device that is none, between threads that play ranks.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "microbench/comm/nccl/device_collectives.h"

namespace oracle::fakes {

/// A flag that is set when a part of an operation is done.
using Done = std::shared_ptr<bool>;

/// What the ranks share.
class Board {
 public:
  explicit Board(int ranks) : ranks_(ranks) {}

  struct Part {
    std::string kind;
    int place = 0;
    const float* from = nullptr;
    float* to = nullptr;
    std::int64_t count = 0;
    Done done;
  };

  int ranks() const { return ranks_; }
  std::mutex& mutex() { return mutex_; }
  /// All ranks; the members of the own part, and its name.
  std::pair<std::string, std::vector<int>> split(int number, int rank, int color, int key);
  /// Runs once all of `members` have posted theirs.
  void collective(const std::string& channel, int number, int members, Part part);
  void send(const std::string& channel, int from, int to, const float* data, std::int64_t count,
            Done done);
  void receive(const std::string& channel, int from, int to, float* data, std::int64_t count,
               Done done);
  /// What every rank's library says from here on.
  std::string trouble;
  /// Messages by channel, sender and receiver.
  std::map<std::string, std::vector<std::pair<int, int>>> sent;

 private:
  struct Waiting {
    std::deque<std::pair<std::vector<float>, Done>> sends;
    std::deque<Part> receives;
  };

  void match(Waiting& waiting);

  int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::map<int, std::pair<int, int>>> splits_;  ///< number → rank → color, key
  std::map<std::pair<std::string, int>, std::vector<Part>> posted_;
  std::map<std::pair<std::string, std::pair<int, int>>, Waiting> messages_;
};

std::unique_ptr<DeviceCollectives> make_fake_collectives(Board& board, int rank);

}  // namespace oracle::fakes
