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

/// A target is another one each time; of what no cache holds, one will do.
constexpr std::size_t kTargets = 3, kCached = std::size_t{16} << 20;
/// Of the tensors that a step makes, which take turns: more than caches keep.
constexpr std::size_t kTensorBytes = std::size_t{96} << 20;

}  // namespace

class Copiers::Copier {
 public:
  Copier(std::size_t bytes, CopyPath path)
      : from_(bytes, 1), buffer_(path == CopyPath::through_message ? bytes : 0, 2) {
    if (path == CopyPath::direct) {
      targets_ = bytes < kCached ? kTargets : 1;
    } else {
      targets_ = std::max(kTensorBytes / std::max<std::size_t>(bytes, 1), std::size_t{1});
    }
    to_.assign(targets_ * bytes, 2);
  }

  /// Seconds of a copy of what has just been written.
  double copy(std::barrier<>& meet) {
    std::memset(from_.data(), static_cast<int>(turn_ % 100), from_.size());
    char* to = to_.data() + turn_++ % targets_ * from_.size();
    meet.arrive_and_wait();
    const double begin = now(Clock::wall);
    if (buffer_.empty()) {
      std::memcpy(to, from_.data(), from_.size());
      return now(Clock::wall) - begin;
    }
    std::memcpy(buffer_.data(), from_.data(), from_.size());
    std::memcpy(to, buffer_.data(), from_.size());
    return (now(Clock::wall) - begin) / 2;
  }

 private:
  std::vector<char> from_, buffer_, to_;
  std::size_t targets_ = 1, turn_ = 0;
};

/// Each made by a thread on its core, which touches its memory first.
Copiers::Copiers(int threads, std::size_t bytes, CopyPath path) {
  std::vector<std::future<std::unique_ptr<Copier>>> making;
  for (int i = 0; i < threads; ++i) {
    making.push_back(std::async(std::launch::async, [bytes, path, i] {
      stay_on_core_of(i);
      return std::make_unique<Copier>(bytes, path);
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
