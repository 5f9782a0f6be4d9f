#include "microbench/compute/copiers.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <future>
#include <thread>

#include "microbench/compute/stay_on_core.h"
#include "microbench/kernels/cpu/cache.h"
#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

/// Of the tensors that a step makes, which take turns: more than caches keep.
constexpr std::size_t kTensorBytes = std::size_t{96} << 20;

double seconds_to_copy(char* to, const char* from, std::size_t bytes) {
  const double begin = now(Clock::wall);
  std::memcpy(to, from, bytes);
  return now(Clock::wall) - begin;
}

}  // namespace

class Copiers::Copier {
 public:
  Copier(std::size_t most, CopyPath path)
      : from_(most, 1),
        buffer_(path == CopyPath::through_message ? most : 0, 2),
        to_(path == CopyPath::through_message ? std::max(most, kTensorBytes) : most, 2) {}

  /// Of what has just been written.
  CopyTimes copy(std::barrier<>& meet, std::size_t bytes) {
    std::memset(from_.data(), static_cast<int>(turn_ % 100), bytes);
    char* to = to_.data() + turn_++ % (to_.size() / bytes) * bytes;
    if (!buffer_.empty()) filler_.fill_own(bytes_in_own_caches());
    meet.arrive_and_wait();
    if (buffer_.empty()) {
      const double seconds = seconds_to_copy(to, from_.data(), bytes);
      return {seconds, seconds};
    }
    const double pack = seconds_to_copy(buffer_.data(), from_.data(), bytes);
    return {pack, seconds_to_copy(to, buffer_.data(), bytes)};
  }

 private:
  std::vector<char> from_, buffer_, to_;
  CacheFiller filler_;
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

std::vector<CopyTimes> Copiers::copy(int threads, int times, std::size_t bytes) {
  const auto copying = std::min(static_cast<std::size_t>(threads), all_.size());
  const auto copies = static_cast<std::size_t>(times);
  std::barrier meet(static_cast<std::ptrdiff_t>(copying));
  std::vector<std::vector<CopyTimes>> taken(copying, std::vector<CopyTimes>(copies));
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < copying; ++i) {
    running.emplace_back([&, i] {
      stay_on_core_of(static_cast<int>(i));
      for (CopyTimes& one : taken[i]) one = all_[i]->copy(meet, bytes);
    });
  }
  for (std::thread& thread : running) thread.join();
  std::vector<CopyTimes> slowest(copies);
  for (const auto& own : taken) {
    for (std::size_t i = 0; i < copies; ++i) {
      slowest[i].pack = std::max(slowest[i].pack, own[i].pack);
      slowest[i].unpack = std::max(slowest[i].unpack, own[i].unpack);
    }
  }
  return slowest;
}

}  // namespace oracle
