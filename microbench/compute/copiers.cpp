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

/// Of the tensors that a step makes, which take turns: more than caches keep.
constexpr std::size_t kTensorBytes = std::size_t{96} << 20;

}  // namespace

class Copiers::Copier {
 public:
  Copier(std::size_t most, CopyPath path)
      : from_(most, 1),
        buffer_(path == CopyPath::through_message ? most : 0, 2),
        to_(path == CopyPath::through_message ? std::max(most, kTensorBytes) : most, 2) {}

  /// Seconds of a copy of what has just been written.
  double copy(std::barrier<>& meet, std::size_t bytes) {
    std::memset(from_.data(), static_cast<int>(turn_ % 100), bytes);
    char* to = to_.data() + turn_++ % (to_.size() / bytes) * bytes;
    meet.arrive_and_wait();
    const double begin = now(Clock::wall);
    if (buffer_.empty()) {
      std::memcpy(to, from_.data(), bytes);
      return now(Clock::wall) - begin;
    }
    std::memcpy(buffer_.data(), from_.data(), bytes);
    std::memcpy(to, buffer_.data(), bytes);
    return (now(Clock::wall) - begin) / 2;
  }

 private:
  std::vector<char> from_, buffer_, to_;
  std::size_t turn_ = 0;
};

/// Each made by a thread on its core, which touches its memory first.
Copiers::Copiers(int threads, std::size_t most, CopyPath path) : most_(most) {
  std::vector<std::future<std::unique_ptr<Copier>>> making;
  for (int i = 0; i < threads; ++i) {
    making.push_back(std::async(std::launch::async, [most, path, i] {
      stay_on_core_of(i);
      return std::make_unique<Copier>(most, path);
    }));
  }
  for (auto& one : making) all_.push_back(one.get());
}

Copiers::~Copiers() = default;

std::vector<double> Copiers::copy(int threads, int times, std::size_t bytes) {
  const auto copying = std::min(static_cast<std::size_t>(threads), all_.size());
  const auto copies = static_cast<std::size_t>(times);
  std::barrier meet(static_cast<std::ptrdiff_t>(copying));
  std::vector<std::vector<double>> seconds(copying, std::vector<double>(copies));
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < copying; ++i) {
    running.emplace_back([&, i] {
      stay_on_core_of(static_cast<int>(i));
      for (double& one : seconds[i]) one = all_[i]->copy(meet, bytes);
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
