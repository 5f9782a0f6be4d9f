#include <algorithm>
#include <array>
#include <barrier>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "microbench/compute/session.h"
#include "microbench/compute/stay_on_core.h"

namespace oracle {
namespace {

/// From what a core's own cache holds to more than all caches do.
constexpr std::array<std::size_t, 5> kSizes = {std::size_t{256} << 10, std::size_t{1} << 20,
                                               std::size_t{4} << 20, std::size_t{16} << 20,
                                               std::size_t{64} << 20};
/// A message's buffer is another one each time; of what no cache holds, one will do.
constexpr std::size_t kTargets = 3, kCached = std::size_t{16} << 20;
/// Copies in a row by all threads, between two looks at whether these are enough.
constexpr int kInARow = 4;

/// What one thread copies, from and to memory that it has touched itself.
class Copier {
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

/// Of each copy the seconds of the slowest thread, each on a core of its own.
std::array<double, kInARow> copy_at_once(std::vector<Copier>& copiers) {
  std::barrier meet(static_cast<std::ptrdiff_t>(copiers.size()));
  std::vector<std::array<double, kInARow>> seconds(copiers.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < copiers.size(); ++i) {
    threads.emplace_back([&, i] {
      stay_on_core_of(static_cast<int>(i));
      for (double& one : seconds[i]) one = copiers[i].copy(meet);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::array<double, kInARow> slowest{};
  for (const auto& own : seconds) {
    for (std::size_t i = 0; i < slowest.size(); ++i) slowest[i] = std::max(slowest[i], own[i]);
  }
  return slowest;
}

/// Each made by a thread on its core, which touches its memory first.
std::vector<Copier> copiers_of(int threads, std::size_t bytes) {
  std::vector<std::future<Copier>> making;
  for (int i = 0; i < threads; ++i) {
    making.push_back(std::async(std::launch::async, [bytes, i] {
      stay_on_core_of(i);
      return Copier(bytes);
    }));
  }
  std::vector<Copier> made;
  for (std::future<Copier>& one : making) made.push_back(one.get());
  return made;
}

CopySample copies_of(int threads, std::size_t bytes, const StopRule& rule) {
  std::vector<Copier> copiers = copiers_of(threads, bytes);
  CopySample sample;
  sample.threads = threads;
  sample.bytes = static_cast<std::int64_t>(bytes);
  copy_at_once(copiers);
  while (!sample.series.done(rule)) {
    for (const double seconds : copy_at_once(copiers)) sample.series.add(seconds);
  }
  return sample;
}

}  // namespace

std::vector<CopySample> measure_copies(int threads, const StopRule& rule) {
  std::vector<CopySample> samples;
  if (threads > 1) samples.push_back(copies_of(1, kSizes.back(), rule));
  for (const std::size_t bytes : kSizes) samples.push_back(copies_of(threads, bytes, rule));
  return samples;
}

}  // namespace oracle
