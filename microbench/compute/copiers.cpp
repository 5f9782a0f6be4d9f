#include "microbench/compute/copiers.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <future>
#include <thread>

#include "microbench/compute/stay_on_core.h"
#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

/// A message's buffer is another one each time; of what no cache holds, one will do.
constexpr std::size_t kTargets = 3, kCached = std::size_t{16} << 20;

}  // namespace

class Copiers::Copier {
 public:
  explicit Copier(std::size_t bytes)
      : from_(bytes, 1), to_(bytes < kCached ? kTargets : 1, std::vector<char>(bytes, 2)) {}

  /// Seconds of a copy of what has just been written.
  double copy(std::barrier<>& meet) {
    std::memset(from_.data(), static_cast<int>(turn_ % 100), from_.size());
    std::vector<char>& to = to_[turn_++ % to_.size()];
    meet.arrive_and_wait();
    const double begin = now(Clock::wall);
    std::memcpy(to.data(), from_.data(), from_.size());
    return now(Clock::wall) - begin;
  }

 private:
  std::vector<char> from_;
  std::vector<std::vector<char>> to_;
  std::size_t turn_ = 0;
};

/// Each made by a thread on its core, which touches its memory first.
Copiers::Copiers(int threads, std::size_t bytes) {
  std::vector<std::future<std::unique_ptr<Copier>>> making;
  for (int i = 0; i < threads; ++i) {
    making.push_back(std::async(std::launch::async, [bytes, i] {
      stay_on_core_of(i);
      return std::make_unique<Copier>(bytes);
    }));
  }
  for (auto& one : making) all_.push_back(one.get());
}

Copiers::~Copiers() = default;

std::vector<double> Copiers::copy(int threads, int times) {
  const auto copying = std::min(static_cast<std::size_t>(threads), all_.size());
  const auto copies = static_cast<std::size_t>(times);
  std::barrier meet(static_cast<std::ptrdiff_t>(copying));
  std::vector<std::vector<double>> seconds(copying, std::vector<double>(copies));
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < copying; ++i) {
    running.emplace_back([&, i] {
      stay_on_core_of(static_cast<int>(i));
      for (double& one : seconds[i]) one = all_[i]->copy(meet);
    });
  }
  for (std::thread& thread : running) thread.join();
  std::vector<double> slowest(copies, 0);
  for (const auto& own : seconds) {
    for (std::size_t i = 0; i < copies; ++i) slowest[i] = std::max(slowest[i], own[i]);
  }
  return slowest;
}

}  // namespace oracle
